// Swagger UI as it was released, which docs.ts loads when it is asked for.

import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' }

// Its dark rules wait for a class that a script would set; here the page's link chooses them by prefers-color-scheme.
const darkStyle = style.replaceAll('html.dark-mode', 'html:root')

export { darkStyle, script, style }
