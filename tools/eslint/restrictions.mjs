/**
 * The habits of the house as restrictions. Each says what to write instead, since whoever reads it has just written
 * something else. `eslint.config.mjs` says where each holds.
 */

/** Lines of a source file; a longer one does more than one thing. */
const MAX_LINES = 350;

/** Dependencies of an injected class. */
const MAX_DEPENDENCIES = 7;

/** Names that say nothing of what is inside. */
const EMPTY_NAMES = '(Utils?|Common|Helpers?|Manager)$';
const EMPTY_NAME = 'says nothing of what is inside. Name it after what it does, such as `page-link` or `SecretVault`.';

/** `A | null` and `Promise<A | null>` as the declared result. */
const MAYBE = [
  'TSTypeAnnotation > TSUnionType > ',
  'TSTypeAnnotation > TSTypeReference[typeName.name="Promise"] > TSTypeParameterInstantiation > TSUnionType > ',
].flatMap((path) => [`> ${path}TSNullKeyword`, `> ${path}TSUndefinedKeyword`]);

/** Methods and functions whose name begins with the verb. */
const named = (verb) => [
  `MethodDefinition[key.name=/^${verb}([A-Z]|$)/] > FunctionExpression`,
  `TSAbstractMethodDefinition[key.name=/^${verb}([A-Z]|$)/] > TSEmptyBodyFunctionExpression`,
  `FunctionDeclaration[id.name=/^${verb}([A-Z]|$)/]`,
];

/** For `no-restricted-syntax`: what no file of `src` holds. */
export const syntax = [
  {
    selector: `Program[loc.end.line>${MAX_LINES + 1}]`,
    message: `A source file has at most ${MAX_LINES} lines. Split it by verb: one class, one verb, and a spec beside each.`,
  },
  {
    selector: 'MetaProperty[meta.name="import"]',
    message:
      'Specs run as CommonJS, where import.meta does not parse. Take a path from Config, or have the entry point hand it in.',
  },
  {
    selector: 'ExportAllDeclaration',
    message: 'No barrels: whoever needs a name imports it from the file that defines it.',
  },
  {
    selector: 'ExportNamedDeclaration[source]',
    message: 'No barrels: whoever needs a name imports it from the file that defines it.',
  },
  {
    selector: `ExportNamedDeclaration > :matches(ClassDeclaration, FunctionDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/${EMPTY_NAMES}/]`,
    message: `This name ${EMPTY_NAME}`,
  },
  {
    selector: `ExportNamedDeclaration > VariableDeclaration > VariableDeclarator[id.name=/${EMPTY_NAMES}/]`,
    message: `This name ${EMPTY_NAME}`,
  },
  {
    selector: `ClassDeclaration:has(> Decorator) > ClassBody > MethodDefinition[kind="constructor"] > FunctionExpression[params.length>${MAX_DEPENDENCIES}]`,
    message: `An injected class has at most ${MAX_DEPENDENCIES} dependencies. Split it by verb, and let the controller or a service call both.`,
  },
  {
    selector: named('get')
      .flatMap((callee) => MAYBE.map((maybe) => `${callee} ${maybe}`))
      .join(', '),
    message: '`get…` never comes back empty: throw the domain error of what is missing, or name it `find…`.',
  },
  {
    selector: named('find')
      .map((callee) => `${callee} > BlockStatement ThrowStatement`)
      .join(', '),
    message: '`find…` comes back empty where there is nothing, and does not throw: name it `get…` where it does.',
  },
];

/** For `no-restricted-syntax`: all that is wrong with a file of such a name. */
export const emptyFileName = [{ selector: 'Program', message: `The name of this file ${EMPTY_NAME}` }];

/** The paths that `emptyFileName` is for. */
export const emptyFileNames = [
  'src/**/{util,utils,common,helper,helpers,manager,managers}/**/*.ts',
  'src/**/{util,utils,common,helper,helpers,manager}.ts',
  'src/**/*{-,.}{util,utils,common,helper,helpers,manager}*.ts',
];

const environment =
  'Only src/platform/config reads the environment. Add the setting to environment.ts, .env.example and Config, and take it from Config.';

/** For `no-restricted-properties`. */
export const properties = [
  { object: 'process', property: 'env', message: environment },
  {
    object: 'console',
    message: "Log with `new Logger('Place')` of @nestjs/common; what a command prints goes to process.stdout.",
  },
];

/** For `no-restricted-imports`: what no file of `src` imports. */
export const imports = [
  {
    name: '@nestjs/common',
    importNames: ['forwardRef'],
    message:
      'A cycle is not tied together but cut: the lower module declares an abstract class, the higher registers one with it (see workspaces/workspace-provisioner.ts).',
  },
  { name: 'process', importNames: ['env'], message: environment },
  { name: 'node:process', importNames: ['env'], message: environment },
];

const oneDoor =
  'Reach the database through Database alone (src/platform/database/database.ts): `manager`, `query`, `affected` and `transaction`.';

/** For `no-restricted-imports`: further handles on the database, by which a statement escapes its transaction. */
export const databaseHandles = [
  {
    name: 'typeorm',
    importNames: ['DataSource', 'getRepository', 'getManager', 'Transaction', 'createConnection'],
    message: oneDoor,
  },
  { name: '@nestjs/typeorm', message: oneDoor },
  { name: 'pg', allowTypeImports: true, message: oneDoor },
];

/** For `no-restricted-imports`: what services throw. */
export const httpErrors = [
  {
    group: ['@nestjs/common'],
    importNamePattern: '(Exception|^HttpStatus)$',
    message:
      "Services do not speak HTTP: throw a DomainError of the module's *.errors.ts, which the error filter maps to a status.",
  },
];
