/**
 * Reads every error code from the sources, with the type checker: the codes of `DomainError` and of the classes derived
 * from it, those in `details.errors` and in reports, and those that the error filter adds.
 */
import { relative, resolve } from 'node:path';
import ts from 'typescript';

const ERROR_FILTER = /\/error\.filter\.ts$/;

/** Files whose objects with `code` and `message` are not errors of a request. */
const OTHER_CODES = /\/(environment|logging|error-examples)\.ts$/;

/**
 * @typedef {object} FoundCode
 * @property {string} code
 * @property {Set<string>} kinds Kinds of the responses with this code; empty if it occurs only in `details.errors`.
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
  /** Expressions whose value is a code, with that of the kind; without it the code is in `details.errors`. */
  queue = [];

  constructor(checker, root) {
    this.checker = checker;
    this.root = root;
  }

  collect(file) {
    const visit = (node) => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.collectCall(node);
      if (ts.isObjectLiteralExpression(node)) this.collectObject(node);
      ts.forEachChild(node, visit);
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
      const [kind, code] = node.arguments;
      this.queue.push({ expression: code, kind });
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
      this.queue.push({ expression: valueOf(property('code')) });
    }
    // A response of the error filter, whose status is a literal or belongs to the request.
    const isResponse = property('error') && property('message') && property('status');
    if (isResponse && ERROR_FILTER.test(node.getSourceFile().fileName)) {
      const status = valueOf(property('status'));
      const kind = ts.isNumericLiteral(status) ? status : undefined;
      this.queue.push({ expression: valueOf(property('error')), kind });
    }
  }

  resolve() {
    while (this.queue.length > 0) {
      const { expression, kind } = this.queue.pop();
      const literals = this.literalsOf(expression);
      if (literals) for (const code of literals) this.add(code, kind, expression);
      else this.follow(expression, kind);
    }
  }

  /** Continues with what callers pass, if the code is a parameter. */
  follow(expression, kind) {
    const declaration = this.declarationOf(expression);
    // A property of another error, whose code is read where that error is created.
    if (declaration && ts.isBindingElement(declaration)) return;
    if (!declaration || !ts.isParameter(declaration)) {
      this.unknown.add(`${this.position(expression)}: ${expression.getText()}`);
      return;
    }
    const { parent } = declaration;
    const kindParameter = kind && !this.literalsOf(kind, true) ? this.declarationOf(kind) : undefined;
    for (const call of this.callsOf(parent)) {
      const passed = (parameter) => call.arguments?.[parent.parameters.indexOf(parameter)];
      const code = passed(declaration);
      const kindOfCall = kindParameter ? (passed(kindParameter) ?? kindParameter.initializer) : kind;
      if (code) this.queue.push({ expression: code, kind: kindOfCall });
    }
  }

  declarationOf(expression) {
    return (
      ts.isShorthandPropertyAssignment(expression.parent)
        ? this.checker.getShorthandAssignmentValueSymbol(expression.parent)
        : this.checker.getSymbolAtLocation(expression)
    )?.valueDeclaration;
  }

  /**
   * The values of a string literal type; undefined if it is not one.
   *
   * @param isWritten only literals, not parameters.
   */
  literalsOf(expression, isWritten = false) {
    if (isWritten && ts.isIdentifier(expression)) return undefined;
    const type = this.checker.getTypeAtLocation(expression);
    const types = type.isUnion() ? type.types : [type];
    return types.every((each) => each.isStringLiteral()) ? types.map(({ value }) => value) : undefined;
  }

  /**
   * @param kind its expression, or the status of a response of the error filter; absent for a code in `details.errors`.
   */
  add(code, kind, expression) {
    const found = this.codes.get(code) ?? { code, kinds: new Set(), files: new Set() };
    for (const each of kind ? this.kindsOf(kind) : []) found.kinds.add(each);
    found.files.add(relative(this.root, expression.getSourceFile().fileName));
    this.codes.set(code, found);
  }

  kindsOf(kind) {
    return ts.isNumericLiteral(kind) ? [kind.text] : (this.literalsOf(kind) ?? []);
  }

  position(node) {
    const file = node.getSourceFile();
    return `${relative(this.root, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  }
}

function valueOf(property) {
  return ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
}
