// Swagger UI as it is installed: 1.9 MB of text that docs.ts loads when somebody asks for it.
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' }

export { script, style }
