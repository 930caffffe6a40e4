import ts from 'typescript';

/**
 * A class that Nest reads from the types of a decorated class at run time (a constructor's parameters, a handler's
 * arguments, a decorated property) must be imported as a value. `import type` leaves `Object` in its place: the body is
 * no longer validated, the document loses its schema, the dependency is not found. Nothing else tells.
 *
 * Interfaces and type aliases have no run time; they are imported as types as ever.
 */
export const runtimeTypes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      lost: 'Nest must see {{name}} at run time (validation, OpenAPI, injection): import it without `type`.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();

    function check(annotation) {
      const type = annotation?.typeAnnotation;
      if (type?.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return;
      const { name } = type.typeName;
      const definition = definitionOf(context.sourceCode.getScope(type), name);
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

function definitionOf(scope, name) {
  for (let at = scope; at; at = at.upper) {
    const variable = at.set.get(name);
    if (variable) return variable.defs[0];
  }
  return undefined;
}

function isTypeImport({ node, parent }) {
  return parent.importKind === 'type' || node.importKind === 'type';
}
