/**
 * Compares the codes of the sources with their definitions. The compiler requires a definition for each error that is
 * thrown, so only the codes in `details.errors` and in reports are read.
 */
import { relative, resolve } from 'node:path';
import ts from 'typescript';

/** Files whose objects with `code` and `message` are not errors of a request. */
const OTHER_CODES = /\/(environment|logging|json-rpc-errors)\.ts$/;

/**
 * @returns `codes`: the literal types of `code` in objects with a `message`, each with a file. `unknown`: expressions
 *   without a literal type. `text`: all sources.
 */
export function readErrorCodes(root) {
  const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const folders = ['src', 'packages/errors', 'packages/json', 'packages/sql', 'packages/tables'].map(
    (folder) => `${resolve(root, folder)}/`,
  );
  const isSource = (name) => folders.some((folder) => name.startsWith(folder)) && !name.endsWith('.spec.ts');
  const program = ts.createProgram(fileNames.filter(isSource), { ...options, noEmit: true, incremental: false });
  const files = program.getSourceFiles().filter(({ fileName }) => isSource(resolve(fileName)));
  const checker = program.getTypeChecker();
  const codes = new Map();
  const unknown = [];
  const visit = (node) => {
    // The examples of definitions contain codes, too.
    if (ts.isCallExpression(node) && node.expression.getText() === 'defineErrors') return;
    if (ts.isObjectLiteralExpression(node)) collect(node);
    ts.forEachChild(node, visit);
  };
  const collect = (node) => {
    const find = (name) => node.properties.find((property) => property.name?.getText() === name);
    const file = node.getSourceFile();
    if (!find('code') || !find('message') || OTHER_CODES.test(file.fileName)) return;
    const code = find('code').initializer ?? find('code').name;
    const type = checker.getTypeAtLocation(code);
    const types = type.isUnion() ? type.types : [type];
    const path = relative(root, file.fileName);
    if (types.every((each) => each.isStringLiteral())) for (const { value } of types) codes.set(value, path);
    else if (!isPassedOn(code, checker))
      unknown.push(`${path}:${file.getLineAndCharacterOfPosition(code.getStart()).line + 1}: ${code.getText()}`);
  };
  files.forEach(visit);
  return { codes, unknown, text: files.map((file) => file.text).join('\n') };
}

/** Is it the code of another error, which is read where that one is created? */
function isPassedOn(code, checker) {
  if (ts.isPropertyAccessExpression(code)) return true;
  const shorthand = ts.isShorthandPropertyAssignment(code.parent);
  const symbol = shorthand ? checker.getShorthandAssignmentValueSymbol(code.parent) : checker.getSymbolAtLocation(code);
  return symbol?.valueDeclaration !== undefined && ts.isBindingElement(symbol.valueDeclaration);
}

/** What must be changed, one line each. */
export function findProblems({ codes, unknown, text }, definitions) {
  const variants = (code) => definitions.filter((each) => each.code === code);
  // A definition is used as `ERRORS.code`, or as a key; `code: 'code'` is an error in details.
  const isThrown = (code) => new RegExp(`(?:\\.|(?<!code: )')${code}\\b`).test(text);
  return [
    ...unknown.map((expression) => `${expression} is not a string literal. Give the code a literal type.`),
    ...[...codes]
      .filter(([code]) => variants(code).length === 0)
      .map(([code, file]) => `${code} (${file}) has no definition. Add it to the *.errors.ts of the module.`),
    ...[...new Set(definitions.map(({ code }) => code))].flatMap((code) => {
      const [{ kind, meaning }, ...others] = variants(code);
      if (!codes.has(code) && !(kind && isThrown(code)))
        return [`${code} does not occur in the code. Remove its definition.`];
      if (kind && !isThrown(code))
        return [`${code} occurs only in details.errors. Remove kind and message of its definition.`];
      if (others.some((other) => other.meaning !== meaning))
        return [`${code} has several definitions. Remove all but one.`];
      return [];
    }),
  ];
}
