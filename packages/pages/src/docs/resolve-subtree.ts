type Node = Record<string, unknown>;

/**
 * Resolves the references of a part of the document.
 *
 * @param path keys from the root to the part
 * @returns the part; an operation with `$$ref`, at which Swagger UI takes it over instead of merging it with the
 *   unresolved one
 */
export function resolveSubtree(root: Node, path: readonly string[]): Node {
  const find = (from: unknown, keys: readonly string[]) =>
    keys.reduce<unknown>((node, key) => (node as Node | undefined)?.[key], from);

  const resolve = (node: unknown, seen: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((each) => resolve(each, seen));
    if (node === null || typeof node !== 'object') return node;
    const { $ref, ...rest } = node as Node;
    const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolve(value, seen)]));
    if (typeof $ref !== 'string') return mergeParts(own);
    // A schema that contains itself ends here.
    if (seen.includes($ref)) return { type: 'object', ...own };
    const keys = $ref.split('/').slice(1);
    const title = keys[1] === 'schemas' ? { title: keys.at(-1) } : {};
    return { ...title, ...(resolve(find(root, keys), [...seen, $ref]) as Node), ...own };
  };

  /** Merges the schemas of `allOf`, whose properties the examples then contain. */
  const mergeParts = ({ allOf, ...own }: Node): Node => {
    if (!Array.isArray(allOf)) return own;
    return [...(allOf as Node[]), own].reduce<Node>(
      (merged, part) => ({
        ...merged,
        ...part,
        required: [...listOf(merged['required']), ...listOf(part['required'])],
        properties: mergeProperties(merged['properties'] as Node, part['properties'] as Node),
      }),
      {},
    );
  };

  const listOf = (names: unknown): unknown[] => (Array.isArray(names) ? names : []);

  const mergeProperties = (first: Node = {}, second: Node = {}): Node => ({
    ...first,
    ...Object.fromEntries(
      Object.entries(second).map(([name, schema]) => [name, { ...(first[name] as Node), ...(schema as Node) }]),
    ),
  });

  const resolved = resolve(find(root, path), []) as Node;
  return path[0] === 'paths' ? { ...resolved, $$ref: `#/${path.join('/')}` } : resolved;
}
