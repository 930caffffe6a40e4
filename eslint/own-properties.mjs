import ts from 'typescript';

/**
 * Reports `table[name]` and `name in table` for a text `name`: a caller may have sent it, and `constructor` or
 * `__proto__` finds a property of `Object.prototype`. A name of a union of literals is allowed, because the compiler
 * knows the properties.
 *
 * An index is reported for tables of the program: objects whose properties are written in the sources. Records of data,
 * such as rows and bodies, are read by the keys of columns and fields, of which none is the name of an inherited
 * property (`RESERVED_KEYS` of column-plan.ts, `FORBIDDEN` of json-structure.ts).
 */
export const ownProperties = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      index: 'A text finds inherited properties, such as "constructor". Use a Map, or test `Object.hasOwn` in an `if`.',
      in: '`in` finds inherited properties, such as "constructor". Use `Object.hasOwn`, a Map or a Set.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();

    /** The type is asked last: it costs more than the syntax. */
    const isText = (node) =>
      node.type !== 'Literal' && hasFlag(services.getTypeAtLocation(node), ts.TypeFlags.String | ts.TypeFlags.Any);

    return {
      // A property that is set is found by the next look-up, except `__proto__`, which bodies and columns cannot have.
      'MemberExpression[computed=true]:not(AssignmentExpression > .left)'({ object, property, parent }) {
        if (isTable(object) && isText(property) && !isGuarded(context.sourceCode, object, property, parent))
          context.report({ node: property, messageId: 'index' });
      },
      'BinaryExpression[operator="in"]'({ left }) {
        if (left.type !== 'PrivateIdentifier' && isText(left)) context.report({ node: left, messageId: 'in' });
      },
    };

    /** Is the object a literal with properties, or a constant or property that is declared with one? */
    function isTable(object) {
      if (unwrap(object).type === 'ObjectExpression') return true;
      if (object.type !== 'Identifier' && object.type !== 'MemberExpression') return false;
      const node = services.esTreeNodeToTSNodeMap.get(object);
      let symbol = checker.getSymbolAtLocation(object.type === 'Identifier' ? node : (node.name ?? node));
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      const { initializer } = symbol?.valueDeclaration ?? {};
      return initializer !== undefined && isLiteral(initializer);
    }
  },
};

/** The node within `as`, `satisfies` and `!`. */
function unwrap(node) {
  return ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type)
    ? unwrap(node.expression)
    : node;
}

/** `{ a: … }`, also with `as` and `satisfies`. */
function isLiteral(node) {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return isLiteral(node.expression);
  return ts.isObjectLiteralExpression(node) && node.properties.length > 0;
}

function hasFlag(type, flag) {
  return type.isUnion() ? type.types.some((each) => hasFlag(each, flag)) : (type.flags & flag) !== 0;
}

/** Is the index within `Object.hasOwn(table, name) ? … : …`, `Object.hasOwn(table, name) && …` or such an `if`? */
function isGuarded(sourceCode, object, property, parent) {
  const guard = `Object.hasOwn(${sourceCode.getText(object)}, ${sourceCode.getText(property)})`;
  for (let node = parent; node; node = node.parent) {
    const test = node.type === 'LogicalExpression' ? node.left : node.test;
    if (test && sourceCode.getText(test).includes(guard)) return true;
  }
  return false;
}
