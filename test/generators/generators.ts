// The generators of the matrix: what each needs, how it makes a client in an empty folder, and how that is run. Every
// client lists leads, gets one, gets a 404 and walks the feed, and prints what it saw as one line of JSON.

export type Generator = {
  name: string
  /** Programs without which it cannot run. */
  needs: string[]
  /** Commands, one after the other, in the folder; `$DOC` is the description, `$CLIENTS` the folder of programs. */
  make: string[]
  /** What takes the base URL and the key as its last two arguments. None: it is generated and compiled alone. */
  run?: string
}

const pip = (packages: string) => `python3 -m venv py && py/bin/pip install -q ${packages}`
const npm = (packages: string) =>
  `echo '{"private":true,"type":"module"}' > package.json && npm i --silent --no-audit --no-fund ${packages}`
const tsc =
  'npx tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom --types bun-types'
const jar = '@openapitools/openapi-generator-cli'
const generate = (language: string, settings = '') =>
  `npx openapi-generator-cli generate -i $DOC -g ${language} -o out ${settings}`
const oneOf = '--additional-properties=useOneOfDiscriminatorLookup=true'

export const generators: Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    needs: ['npm'],
    make: [
      npm('openapi-typescript openapi-fetch typescript@5 bun-types'),
      'npx openapi-typescript $DOC -o schema.d.ts',
      `cp $CLIENTS/openapi_fetch.ts main.ts && ${tsc} main.ts`,
    ],
    run: `${process.execPath} main.ts`,
  },
  {
    name: 'hey-api with zod',
    needs: ['npm'],
    make: [
      npm('@hey-api/openapi-ts zod typescript@5 bun-types'),
      'npx openapi-ts -i $DOC -o hey -p @hey-api/client-fetch -p @hey-api/typescript -p zod -p @hey-api/sdk',
      `cp $CLIENTS/hey_api.ts main.ts && ${tsc} main.ts`,
    ],
    run: `${process.execPath} main.ts`,
  },
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    make: [
      pip('openapi-python-client'),
      '. py/bin/activate && openapi-python-client generate --path $DOC --output-path out && cp $CLIENTS/openapi_python_client.py out/main.py',
    ],
    run: 'py/bin/python out/main.py',
  },
  {
    name: 'datamodel-code-generator with pydantic',
    needs: ['python3'],
    make: [
      pip('datamodel-code-generator'),
      'py/bin/datamodel-codegen --input $DOC --input-file-type openapi --output models.py --output-model-type pydantic_v2.BaseModel --formatters builtin',
      'cp $CLIENTS/datamodel_codegen.py main.py',
    ],
    run: 'py/bin/python main.py',
  },
  {
    name: 'oapi-codegen (Go)',
    needs: ['go'],
    make: [
      'go mod init matrix && go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest',
      'go tool oapi-codegen -generate types,client -package main -o client.gen.go $DOC',
      'cp $CLIENTS/oapi_codegen.go main.go && go mod tidy && go build -o matrix .',
    ],
    run: './matrix',
  },
  {
    name: 'ogen (Go)',
    needs: ['go'],
    make: [
      'go mod init matrix && go get -tool github.com/ogen-go/ogen/cmd/ogen@latest',
      'go tool ogen --target api --package api --clean $DOC',
      'cp $CLIENTS/ogen.go main.go && go mod tidy && go build -o matrix .',
    ],
    run: './matrix',
  },
  {
    name: 'openapi-generator, Python',
    needs: ['npm', 'java', 'python3'],
    make: [npm(jar), generate('python'), pip('./out'), 'cp $CLIENTS/openapi_generator.py main.py'],
    run: 'py/bin/python main.py',
  },
  {
    name: 'openapi-generator, Go',
    needs: ['npm', 'java', 'go'],
    make: [
      npm(jar),
      generate('go', oneOf),
      'mkdir -p out/cmd && cp $CLIENTS/openapi_generator.go out/cmd/main.go && cd out && go mod tidy && go build -o ../matrix ./cmd',
    ],
    run: './matrix',
  },
  {
    name: 'openapi-generator, Java',
    needs: ['npm', 'java', 'mvn'],
    make: [
      npm(jar),
      generate('java', `${oneOf},library=native`),
      'cp $CLIENTS/openapi_generator.java out/src/main/java/org/openapitools/client/Matrix.java',
      'cd out && mvn -q -B -DskipTests -Dmaven.javadoc.skip=true package dependency:copy-dependencies',
    ],
    run: 'java -cp "out/target/classes:out/target/dependency/*:out/target/lib/*" org.openapitools.client.Matrix',
  },
  {
    name: 'openapi-generator, TypeScript (fetch)',
    needs: ['npm', 'java'],
    make: [
      npm(`${jar} typescript@5 bun-types`),
      generate('typescript-fetch'),
      // What it generates is not written for --strict.
      `cp $CLIENTS/openapi_generator.ts out/main.ts && ${tsc.replace(' --strict', '')} out/main.ts`,
    ],
    run: `${process.execPath} out/main.ts`,
  },
  {
    name: 'openapi-generator, C#',
    needs: ['npm', 'java', 'dotnet'],
    make: [npm(jar), generate('csharp'), 'cd out && dotnet build --nologo -v q'],
  },
]
