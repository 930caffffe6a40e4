import { getMetadataStorage } from 'class-validator';

type Storage = ReturnType<typeof getMetadataStorage>;
type FindRules = Storage['getTargetValidationMetadatas'];
type Rules = ReturnType<FindRules>;

/**
 * Makes class-validator find the rules of a class once. By default it compares the class with all other classes that
 * have rules, for each object that it validates. The rules of a class do not change after its definition.
 */
export function rememberRulesOfClasses(storage: Storage = getMetadataStorage()): void {
  const find: FindRules = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<Parameters<FindRules>[0], Rules>();
  storage.getTargetValidationMetadatas = (target, schema, ...options) => {
    // Schemas and groups select other rules of a class. The service uses neither.
    if (schema || options.some(Boolean)) return find(target, schema, ...options);
    let rules = known.get(target);
    if (!rules) {
      rules = find(target, schema, ...options);
      known.set(target, rules);
    }
    return rules;
  };
}
