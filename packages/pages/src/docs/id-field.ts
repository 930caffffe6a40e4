import type { Knowledge } from './knowledge.js';
import type { IdChoices, Json } from './page-document.js';
import type { Component, ImmutableMap, System } from './swagger-ui.js';

/** The props of a field of Swagger UI. */
interface Field extends Json {
  schema?: Partial<ImmutableMap>;
  value: unknown;
  onChange: (value: string) => void;
}

/**
 * A field for an ID with the list of the records that the caller has.
 *
 * @param Original the field of Swagger UI
 */
export function createIdField(knowledge: Knowledge, system: System, Original: Component): Component {
  const { React } = system;
  const h = React.createElement;
  const { get, learn, list, fill, post, permits, subscribe } = knowledge;

  /** The path with the selected workspace and the values of the fields. @returns undefined if one is empty */
  const fillPath = (template: string, { path, method }: IdChoices): string | undefined => {
    const values = system.getSystem().specSelectors.parameterValues([path, method]);
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values.get(`path.${name}`) as string | number | undefined;
      return encodeURIComponent(value ?? (name === 'workspaceId' ? get().workspaceId : undefined) ?? '');
    });
    return filled.includes('//') ? undefined : filled;
  };

  const readItems = async (choices: IdChoices): Promise<Json[]> => {
    const { field } = choices;
    const path = fillPath(choices.list, choices);
    if (path === undefined || !permits(choices.security)) return [];
    const query = choices.query.map((each) => each.replace('{workspaceId}', get().workspaceId ?? ''));
    const items = await list(choices.security, [path, query.join('&')].filter(Boolean).join('?'));
    const records = field === undefined ? items : items.flatMap((item) => item[field] as Json[]);
    const isThumbnail = choices.path.endsWith('/thumbnail');
    const { accepted } = choices;
    return records.filter(
      (record) =>
        // An operation does not end the session of the page.
        record['current'] !== true &&
        (!isThumbnail || record['thumbnailUrl'] !== null) &&
        (!accepted || accepted.values.includes(String(record[accepted.field]))),
    );
  };

  const idOf = (item: Json) => String(item['id'] ?? item['workspaceId']);

  const labelOf = (item: Json): string => {
    const names = ['name', 'title', 'label', 'filename', 'workspaceName', 'email', 'url', 'clientId', 'source', 'type'];
    const name = names.map((each) => item[each]).find((each) => typeof each === 'string');
    const time = item['createdAt'] ?? item['startedAt'];
    const parts = [name, item['status'], typeof time === 'string' ? time.slice(0, 16).replace('T', ' ') : undefined];
    return parts.filter((each) => typeof each === 'string').join(', ') || idOf(item);
  };

  const suggest = ({ needsOwn, restores }: IdChoices, collection: string, items: readonly Json[]): string => {
    const { own, ended } = get();
    const ids = items.map(idOf);
    const [created] = own[collection] ?? [];
    if (needsOwn) return created ?? '';
    if (restores) return (ended[collection] ?? []).find((id) => ids.includes(id)) ?? ids[0] ?? '';
    return created ?? ids[0] ?? '';
  };

  /** Writes what the page has learned into the body that Swagger UI has filled in before. */
  const refillBody = ({ path, method }: IdChoices): void => {
    const { oas3Actions, oas3Selectors } = system.getSystem();
    const body = oas3Selectors.requestBodyValue(path, method);
    if (typeof body !== 'string') return;
    const value = JSON.stringify(fill(JSON.parse(body)), null, 2);
    oas3Actions.setRequestBodyValue({ value, pathMethod: [path, method] });
  };

  const ChosenField = ({ field, choices }: { field: Field; choices: IdChoices }): unknown => {
    const [, render] = React.useState({});
    const [read, setRead] = React.useState<{ reason: string; items: Json[] } | undefined>(undefined);
    const [filled, setFilled] = React.useState('');
    const [problem, setProblem] = React.useState('');
    React.useEffect(() => subscribe(() => render({})), []);
    const { state, workspaceId, changes, own } = get();
    const collection = fillPath(choices.collection, choices) ?? '';
    // The list is read again when one of them changes.
    const reason = [state, workspaceId, changes, collection].join(' ');
    React.useEffect(() => {
      let isCurrent = true;
      const use = (items: Json[]) => (isCurrent ? setRead({ reason, items }) : undefined);
      void readItems(choices).then(use, () => use([]));
      return () => (isCurrent = false);
    }, [reason]);
    const items = read?.items;
    const value = typeof field.value === 'string' || typeof field.value === 'number' ? String(field.value) : '';
    const [isPreparing, setPreparing] = React.useState(false);
    const suggestion = items && !isPreparing ? suggest(choices, collection, items) : value;
    // The fields of other IDs may depend on this one.
    const change = (id: string) => {
      field.onChange(id);
      learn({});
    };
    const isPending = read?.reason !== reason || isPreparing || (value === '' && suggestion !== filled);
    React.useEffect(() => {
      if (suggestion === value || (value !== '' && value !== filled)) return;
      setFilled(suggestion);
      change(suggestion);
    }, [suggestion]);

    const prepare = async (): Promise<void> => {
      setProblem('');
      setPreparing(true);
      try {
        for (const request of choices.preparation) await post({ ...request, path: fillPath(request.path, choices)! });
        refillBody(choices);
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
      setPreparing(false);
    };
    const option = (id: string, text: string) => h('option', { key: id, value: id }, text);
    const select = (event: { target: { value: string } }) => change(event.target.value);
    const shown = items ?? [];
    const isListed = shown.some((item) => idOf(item) === value);
    const article = /^[aeio]/i.test(choices.kind) ? 'an' : 'a';
    const hint = shown.length > 0 ? `Choose ${article} ${choices.kind}` : `No ${choices.kind} to choose`;
    const canPrepare = choices.preparation.length > 0 && (own[collection] ?? []).length === 0;
    return h(
      'div',
      { className: 'id-field', 'data-state': isPending ? 'pending' : value === '' ? 'empty' : 'filled' },
      h(Original, { ...field, onChange: change }),
      h(
        'select',
        { 'aria-label': hint, value: isListed ? value : '', onChange: select },
        option('', items ? hint : 'Reading …'),
        ...shown.map((item) => option(idOf(item), labelOf(item))),
      ),
      canPrepare
        ? h('button', { type: 'button', onClick: () => void prepare() }, `Create ${article} ${choices.kind} for this`)
        : null,
      problem ? h('p', { role: 'alert' }, problem) : null,
    );
  };

  return (props: Json) => {
    const field = props as Field;
    const choices = field.schema?.get?.('x-choices') as ImmutableMap | undefined;
    return choices ? h(ChosenField, { field, choices: choices.toJS() as unknown as IdChoices }) : h(Original, field);
  };
}
