import ts from 'typescript';

/**
 * Nest reads the types of constructor parameters, handler arguments and decorated properties at run time, so their
 * classes must be imported as values. After `import type` Nest sees `Object`: silently, bodies are not validated, the
 * OpenAPI document loses the schema and dependencies are not found. Interfaces and type aliases are not affected.
 */
export const runtimeTypes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      lost: 'Nest needs {{name}} at run time (validation, OpenAPI, injection). Import it without `type`.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();

    function check(annotation) {
      const type = annotation?.typeAnnotation;
      if (type?.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return;
      const { name } = type.typeName;
      const definition = findDefinition(context.sourceCode.getScope(type), name);
      if (definition?.type !== 'ImportBinding' || !isTypeImport(definition) || !isClass(definition.node)) return;
      context.report({ node: definition.node, messageId: 'lost', data: { name } });
    }

    function isClass(specifier) {
      const symbol = services.getSymbolAtLocation(specifier.local);
      if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias)) return false;
      return (checker.getAliasedSymbol(symbol).flags & ts.SymbolFlags.Class) !== 0;
    }

    function checkParameters({ params }) {
      for (const parameter of params) check(unwrap(parameter).typeAnnotation);
    }

    return {
      'ClassDeclaration[decorators.length>0] > ClassBody > MethodDefinition[kind="constructor"]'({ value }) {
        checkParameters(value);
      },
      MethodDefinition({ decorators, value }) {
        if (decorators.length > 0 || value.params.some((parameter) => parameter.decorators?.length > 0))
          checkParameters(value);
      },
      'PropertyDefinition[decorators.length>0]'({ typeAnnotation }) {
        check(typeAnnotation);
      },
    };
  },
};

/** The parameter behind `private readonly` and behind a default value. */
function unwrap(parameter) {
  if (parameter.type === 'TSParameterProperty') return unwrap(parameter.parameter);
  return parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
}

function findDefinition(scope, name) {
  for (let current = scope; current; current = current.upper) {
    const variable = current.set.get(name);
    if (variable) return variable.defs[0];
  }
  return undefined;
}

function isTypeImport({ node, parent }) {
  return parent.importKind === 'type' || node.importKind === 'type';
}
