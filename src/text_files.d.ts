// Files that Bun and Deno hand out as text when they are imported `with { type: 'text' }`.
declare module '*.sql' {
  const text: string
  export default text
}

declare module '*.css' {
  const text: string
  export default text
}

declare module '*.md' {
  const text: string
  export default text
}

declare module '*/assets/dashboard.js' {
  const text: string
  export default text
}

declare module 'idiomorph/dist/idiomorph.min.js' {
  const text: string
  export default text
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const text: string
  export default text
}
