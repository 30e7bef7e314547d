// Swagger UI as it was released, which docs.ts loads when it is asked for.

import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' }

export { script, style }
