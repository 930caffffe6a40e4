/**
 * Reads every error code from the sources, with the type checker: the codes of `DomainError` and of the classes derived
 * from it, and those in `details.errors` and in reports.
 */
import { relative, resolve } from 'node:path';
import ts from 'typescript';

/** Files whose objects with `code` and `message` are not errors of a request. */
const OTHER_CODES = /\/(environment|logging)\.ts$/;

/**
 * @typedef {object} FoundCode
 * @property {string} code
 * @property {boolean} isThrown Do responses have the code? Else it occurs only in `details.errors`.
 * @property {Set<string>} files
 */

/** @returns {{ codes: Map<string, FoundCode>, unknown: string[] }} `unknown` lists codes that are not literals. */
export function readErrorCodes(root) {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const isSource = (name) => name.startsWith(resolve(root, 'src')) && !name.endsWith('.spec.ts');
  const program = ts.createProgram(fileNames.filter(isSource), { ...options, noEmit: true, incremental: false });
  const reader = new Reader(program.getTypeChecker(), root);
  const files = program.getSourceFiles().filter(({ fileName }) => isSource(resolve(fileName)));
  for (const file of files) reader.collect(file);
  reader.resolve();
  return { codes: reader.codes, unknown: [...reader.unknown].sort() };
}

class Reader {
  codes = new Map();
  unknown = new Set();
  constructions = new Map();
  callsByName = new Map();
  /** Expressions whose value is a code in `details.errors`, or a definition that is thrown. */
  queue = [];

  constructor(checker, root) {
    this.checker = checker;
    this.root = root;
  }

  collect(file) {
    const visit = (node) => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.collectCall(node);
      if (ts.isObjectLiteralExpression(node)) this.collectObject(node);
      if (!isDefinition(node)) ts.forEachChild(node, visit);
    };
    visit(file);
  }

  /** Only the signatures of constructors are resolved here, because that of every call would take several seconds. */
  collectCall(node) {
    const isConstructor = ts.isNewExpression(node) || node.expression.kind === ts.SyntaxKind.SuperKeyword;
    if (!isConstructor) {
      const name = (node.expression.name ?? node.expression).getText();
      this.callsByName.set(name, [...(this.callsByName.get(name) ?? []), node]);
      return;
    }
    const declaration = this.declarationOfCall(node);
    if (!declaration) return;
    this.constructions.set(declaration, [...(this.constructions.get(declaration) ?? []), node]);
    if (ts.isConstructorDeclaration(declaration) && declaration.parent.name?.text === 'DomainError') {
      this.queue.push({ expression: node.arguments[0], isThrown: true });
    }
  }

  declarationOfCall(node) {
    return this.checker.getResolvedSignature(node)?.declaration;
  }

  /** The calls of a function, or the constructions of a class. */
  callsOf(declaration) {
    if (ts.isConstructorDeclaration(declaration)) return this.constructions.get(declaration) ?? [];
    const name = (declaration.name ?? declaration.parent.name)?.getText();
    return (this.callsByName.get(name) ?? []).filter((call) => this.declarationOfCall(call) === declaration);
  }

  collectObject(node) {
    const property = (name) => node.properties.find((each) => each.name?.getText() === name);
    if (property('code') && property('message') && !OTHER_CODES.test(node.getSourceFile().fileName)) {
      this.queue.push({ expression: valueOf(property('code')), isThrown: false });
    }
  }

  resolve() {
    while (this.queue.length > 0) {
      const { expression, isThrown } = this.queue.pop();
      const literals = isThrown ? this.codesOf(expression) : this.literalsOf(expression);
      if (literals) for (const code of literals) this.add(code, isThrown, expression);
      else this.follow(expression, isThrown);
    }
  }

  /** Continues with what callers pass, if the code is a parameter. */
  follow(expression, isThrown) {
    const declaration = this.declarationOf(expression);
    // A property of another error, whose code is read where that error is created.
    if (declaration && (ts.isBindingElement(declaration) || ts.isPropertyDeclaration(declaration))) return;
    if (!declaration || !ts.isParameter(declaration)) {
      this.unknown.add(`${this.position(expression)}: ${expression.getText()}`);
      return;
    }
    const { parent } = declaration;
    for (const call of this.callsOf(parent)) {
      const passed = call.arguments?.[parent.parameters.indexOf(declaration)] ?? declaration.initializer;
      if (passed) this.queue.push({ expression: passed, isThrown });
    }
  }

  declarationOf(expression) {
    return (
      ts.isShorthandPropertyAssignment(expression.parent)
        ? this.checker.getShorthandAssignmentValueSymbol(expression.parent)
        : this.checker.getSymbolAtLocation(expression)
    )?.valueDeclaration;
  }

  /** The codes of a definition, or of each of several; undefined if its type has none. */
  codesOf(expression) {
    const code = this.checker.getTypeAtLocation(expression).getProperty('code');
    return code && this.valuesOf(this.checker.getTypeOfSymbolAtLocation(code, expression));
  }

  literalsOf(expression) {
    return this.valuesOf(this.checker.getTypeAtLocation(expression));
  }

  /** The values of a string literal type; undefined if it is not one. */
  valuesOf(type) {
    const types = type.isUnion() ? type.types : [type];
    return types.every((each) => each.isStringLiteral()) ? types.map(({ value }) => value) : undefined;
  }

  add(code, isThrown, expression) {
    const found = this.codes.get(code) ?? { code, isThrown, files: new Set() };
    found.isThrown ||= isThrown;
    found.files.add(relative(this.root, expression.getSourceFile().fileName));
    this.codes.set(code, found);
  }

  position(node) {
    const file = node.getSourceFile();
    return `${relative(this.root, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  }
}

/** The examples of definitions contain codes, too. */
function isDefinition(node) {
  return ts.isCallExpression(node) && node.expression.getText() === 'defineErrors';
}

function valueOf(property) {
  return ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
}
