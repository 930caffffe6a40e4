/**
 * Restrictions for the rules `no-restricted-…`. Each message states what to write instead; eslint.config.mjs applies
 * them.
 */

const MAX_LINES = 350;

/** Constructor parameters of an injected class. */
const MAX_DEPENDENCIES = 7;

/** Names without a meaning. */
const VAGUE_NAMES = '(Utils?|Common|Helpers?|Manager)$';
const VAGUE_NAME = 'has no meaning. Name it after its responsibility, such as `route-table` or `SecretVault`.';

/** `A | null` and `Promise<A | null>` as the declared result. */
const OPTIONAL_RESULT = [
  'TSTypeAnnotation > TSUnionType > ',
  'TSTypeAnnotation > TSTypeReference[typeName.name="Promise"] > TSTypeParameterInstantiation > TSUnionType > ',
].flatMap((path) => [`> ${path}TSNullKeyword`, `> ${path}TSUndefinedKeyword`]);

/** Methods and functions whose name begins with the verb. */
const functionsNamed = (verb) => [
  `MethodDefinition[key.name=/^${verb}([A-Z]|$)/] > FunctionExpression`,
  `TSAbstractMethodDefinition[key.name=/^${verb}([A-Z]|$)/] > TSEmptyBodyFunctionExpression`,
  `FunctionDeclaration[id.name=/^${verb}([A-Z]|$)/]`,
];

/** For `no-restricted-syntax` in all files of src, clients and packages. */
export const directories = [
  {
    selector:
      ':matches([callee.name=/^mkdir(Sync)?$/], [callee.property.name=/^mkdir(Sync)?$/]) > ObjectExpression > Property[key.name="recursive"]',
    message: "Call `createDirectory` of packages/files: Node's recursive mkdir never ends in some directories.",
  },
];

/** `...(x ? { … } : {})` and `...(x ? [ … ] : [])`. */
const CONDITIONAL_SPREAD = 'SpreadElement[argument.type="ConditionalExpression"]';

/** Of an object or a list. */
const MAX_CONDITIONAL_SPREADS = 2;

const assignIf =
  'Set the property to undefined if its reader ignores undefined, as JSON does, or assign it in an `if`. Add entries to a list in an `if`.';

/** For `no-restricted-syntax` in all files of the repository. */
export const spreads = [
  {
    selector: ':matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression',
    message: 'No `...{ … }`. Write the properties without the braces, also if each gets its own line.',
  },
  {
    selector: ':matches(SpreadElement, JSXSpreadAttribute) > LogicalExpression[operator="&&"]',
    message: `No \`...(x && …)\`. ${assignIf}`,
  },
  {
    selector: [
      'SpreadElement > ConditionalExpression > ConditionalExpression:not(.test)',
      `SpreadElement > ConditionalExpression > :matches(ObjectExpression, ArrayExpression) > ${CONDITIONAL_SPREAD}`,
    ].join(', '),
    message: `No conditional spread within a conditional spread. ${assignIf}`,
  },
  {
    selector: Array(MAX_CONDITIONAL_SPREADS + 1)
      .fill(CONDITIONAL_SPREAD)
      .join(' ~ '),
    message: `At most ${MAX_CONDITIONAL_SPREADS} conditional spreads per object or list. ${assignIf}`,
  },
];

/** For `no-restricted-syntax` in all files of src. */
export const syntax = [
  ...spreads,
  ...directories,
  {
    selector: `Program[loc.end.line>${MAX_LINES + 1}]`,
    message: `A source file has at most ${MAX_LINES} lines. Split it by verb: one class per verb, each with its spec.`,
  },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import a name from the file that defines it.' },
  { selector: 'ExportNamedDeclaration[source]', message: 'No barrels: import a name from the file that defines it.' },
  {
    selector: `ExportNamedDeclaration > :matches(ClassDeclaration, FunctionDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/${VAGUE_NAMES}/]`,
    message: `This name ${VAGUE_NAME}`,
  },
  {
    selector: `ExportNamedDeclaration > VariableDeclaration > VariableDeclarator[id.name=/${VAGUE_NAMES}/]`,
    message: `This name ${VAGUE_NAME}`,
  },
  {
    selector: `ClassDeclaration:has(> Decorator) > ClassBody > MethodDefinition[kind="constructor"] > FunctionExpression[params.length>${MAX_DEPENDENCIES}]`,
    message: `An injected class has at most ${MAX_DEPENDENCIES} dependencies. Split it by verb.`,
  },
  {
    selector: functionsNamed('get')
      .flatMap((declaration) => OPTIONAL_RESULT.map((result) => `${declaration} ${result}`))
      .join(', '),
    message: '`get…` always returns a value: throw the domain error of what is missing, or name it `find…`.',
  },
  {
    selector: functionsNamed('find')
      .map((declaration) => `${declaration} > BlockStatement ThrowStatement`)
      .join(', '),
    message: '`find…` returns undefined if nothing is found: name it `get…` if it throws.',
  },
];

/** For `no-restricted-syntax` in addition in src, except in platform/listeners.ts and in scripts of pages. */
export const listeners = [
  {
    selector:
      'CallExpression > MemberExpression.callee[property.name=/^(on|once|addListener|prependListener|prependOnceListener|addEventListener)$/]',
    message:
      'Call `listen`, `listenOnce` or `settleByEvents` of src/platform/listeners.ts: an exception of another listener ends the process.',
  },
];

/** For `no-restricted-syntax` in addition, except in repositories, src/platform/database and packages/sql. */
export const rawSql = [
  {
    selector:
      'CallExpression > MemberExpression.callee[property.name=/^(query|affected|execute)$/]:matches([object.name=/^(database|sql)$/], [object.property.name=/^(database|sql)$/])',
    message:
      'SQL is written only in *.repository.ts. Use `database.repository(Entity)` for CRUD, or add a method to a repository.',
  },
];

/** For `no-restricted-syntax` in files with a vague name: reports the whole file. */
export const vagueFileName = [{ selector: 'Program', message: `The name of this file ${VAGUE_NAME}` }];

/** The paths with a vague name. */
export const vagueFileNames = [
  'src/**/{util,utils,common,helper,helpers,manager,managers}/**/*.ts',
  'src/**/{util,utils,common,helper,helpers,manager}.ts',
  'src/**/*{-,.}{util,utils,common,helper,helpers,manager}*.ts',
];

/** For `no-restricted-properties` in src, except in the parser. */
export const jsonParser = {
  object: 'JSON',
  property: 'parse',
  message:
    'Parse the JSON of a caller with `parseJson` of platform/body, which has limits, and other JSON with `parseStoredJson`.',
};

const environment =
  'Only src/platform/config reads the environment. Add the setting to environment.ts, .env.example and Config, and take it from Config.';

/** For `no-restricted-properties`. */
export const properties = [
  { object: 'process', property: 'env', message: environment },
  {
    object: 'console',
    message: "Log with `new Logger('Context')` of @nestjs/common; write the output of a command to process.stdout.",
  },
];

/** For `no-restricted-properties` in the command line: several commands run in one process, for example in tests. */
export const processState = [
  {
    object: 'process',
    allowProperties: ['platform', 'versions'],
    message: 'Take it from Io (clients/cli/src/io.ts). Only standalone.ts uses the state of the process.',
  },
];

/** For `no-restricted-imports` in all files of src. */
export const imports = [
  {
    name: '@nestjs/common',
    importNames: ['forwardRef'],
    message:
      'Remove the cycle: the lower module declares an abstract class and the higher registers an implementation (see workspace-tables/rows/row-referrer.ts).',
  },
  { name: 'process', importNames: ['env'], message: environment },
  { name: 'node:process', importNames: ['env'], message: environment },
];

const useDatabase =
  'Access the database only through Database (src/platform/database/database.ts): `repository`, `query`, `affected` and `transaction`.';

/** For `no-restricted-imports`: other database handles, whose statements would escape the open transaction. */
export const databaseHandles = [
  {
    name: 'typeorm',
    importNames: ['DataSource', 'getRepository', 'getManager', 'Transaction', 'createConnection'],
    message: useDatabase,
  },
  { name: '@nestjs/typeorm', message: useDatabase },
  { name: 'pg', allowTypeImports: true, message: useDatabase },
];

/** For `no-restricted-imports` in modules. */
export const httpErrors = [
  {
    group: ['@nestjs/common'],
    importNamePattern: '(Exception|^HttpStatus)$',
    message:
      "Services are free of HTTP: throw a DomainError of the module's *.errors.ts, which the error filter maps to a status.",
  },
];
