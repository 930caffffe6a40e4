import { isDeepStrictEqual } from 'node:util';
import { Api, type ApiResponse } from './api.js';
import {
  areValid,
  createChange,
  createFields,
  createTypes,
  NO_RULES,
  type NoteChange,
  type NoteModel,
  resolveValues,
  type RulesModel,
  writeNote,
} from './notes-model.js';
import type { Random } from './random-steps.js';
import type { SharedService } from './shared-services.js';
import { column, Tables, text } from './tables.js';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const KEYS = ['1', '2', '3', '4', 'A', 'B'];
const PRIORITIES = [
  { code: '1', name: 'Very high', level: 1 },
  { code: '2', name: 'High', level: 2 },
  { code: '3', name: 'Medium', level: 3 },
  { code: '4', name: 'Medium', level: 4 },
];

/** What requests have stored. */
interface State {
  notes: ReadonlyMap<string, NoteModel>;
  /** Names by the keys of the rows. */
  priorities: ReadonlyMap<string, string>;
}

type Item = NoteChange & { externalId: string };

/** A request of a race, which the search for an order repeats with the model. */
type Operation =
  | { kind: 'save' | 'bulk'; items: Item[]; answer: string[] }
  | { kind: 'rename'; from: string; to: string; answer: string[] };

/** The notes of a workspace on two instances, and the model of what requests do with them. */
export class ModelledNotes {
  /** Responses by kind of request and result, to see that a run reaches them. */
  readonly seen = new Set<string>();
  private rules = NO_RULES;
  private state: State = { notes: new Map(), priorities: new Map(PRIORITIES.map(({ code, name }) => [code, name])) };

  private constructor(
    private readonly random: Random,
    private readonly apis: readonly Api[],
    private readonly workspace: string,
  ) {}

  static async create(services: readonly SharedService[], random: Random): Promise<ModelledNotes> {
    const me = await services[0]!.provision();
    const columns = [text('Code'), text('Name'), column('Level', 'number')];
    await Tables.of(services[0]!, me).bulk('lists', { name: 'Priorities', columns, items: PRIORITIES });
    const apis = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
    return new ModelledNotes(random, apis, `/v2/api/workspaces/${me.workspaceId}`);
  }

  /** One random request, whose response and effect must be those of the model. */
  async step(): Promise<void> {
    const { random } = this;
    const kind = random.of(['save', 'save', 'save', 'patch', 'patch', 'bulk', 'bulk', 'filter', 'rules', 'rename']);
    switch (kind) {
      case 'save':
        return this.runAlone({ kind, items: [this.createItem(IDS)], answer: [] });
      case 'bulk':
        return this.bulk(random.some(IDS, 4).map((id) => ({ ...createChange(random), externalId: id })));
      case 'patch':
        return this.patch();
      case 'filter':
        return this.changeAll();
      case 'rules':
        await this.changeRules();
        return;
      default:
        return this.runAlone(this.createRename());
    }
  }

  /** Requests on both instances at a time, whose responses and effects must be those of some order of them. */
  async race(): Promise<void> {
    const { random } = this;
    const few = random.some(IDS, 2);
    const operations: Operation[] = Array.from({ length: 3 }, () =>
      random.chance(70)
        ? { kind: 'save', items: [this.createItem(few)], answer: [] }
        : { kind: 'bulk', items: few.map((externalId) => ({ ...createChange(random), externalId })), answer: [] },
    );
    if (random.chance(30)) operations.push(this.createRename());
    const before = this.rules;
    const change = random.chance(70) ? this.changeRules() : undefined;
    await Promise.all([change, ...operations.map((each) => this.send(each))]);
    const stored = await this.readNotes();
    // A request obeys the rules that were in force at some time while it ran.
    const end = findOrder(this.state, operations, [before, this.rules], (state) => areEqual(state, stored));
    if (!end) throw new Error(describe('No order of these requests has these results', { operations, stored, before }));
    this.state = end;
    for (const { answer } of operations) this.seen.add(`race ${answer.length > 0 ? 'rejected' : 'stored'}`);
  }

  /** @throws {Error} if the stored notes are not those of the model, in a list or in groups. */
  async check(): Promise<void> {
    const stored = await this.readNotes();
    requireEqual('The notes', stored, Object.fromEntries(this.state.notes));
    const { body } = await this.anyApi().get(`${this.workspace}/notes/aggregate?group=type,status`);
    const groups = body.data.items.map(({ group, measures }: any) => [group.type, group.status, measures.count]);
    const counts = new Map<string, number>();
    for (const { type, status } of this.state.notes.values())
      counts.set(`${type} ${status}`, (counts.get(`${type} ${status}`) ?? 0) + 1);
    const expected = [...counts].map(([names, count]) => [...names.split(' '), count]);
    requireEqual('The groups', groups, expected.toSorted());
  }

  private async runAlone(operation: Operation): Promise<void> {
    await this.send(operation);
    const [end] = execute(this.state, operation, [this.rules]);
    if (!end)
      throw new Error(describe('The model has another response', { operation, rules: this.rules, state: this.state }));
    this.state = end;
  }

  private async send(operation: Operation): Promise<void> {
    const api = this.anyApi();
    const notes = `${this.workspace}/notes`;
    let answer: ApiResponse;
    if (operation.kind === 'rename') {
      const row = `${this.workspace}/cw/lists/Priorities/items/${operation.from}`;
      answer = await api.post(`${row}/rename`, { key: operation.to });
    } else if (operation.kind === 'save') answer = await api.post(notes, operation.items[0]);
    else answer = await api.post(`${notes}/bulk`, { items: operation.items });
    operation.answer = this.toErrors(operation.kind, answer);
  }

  private async bulk(items: Item[]): Promise<void> {
    const { random } = this;
    const isDryRun = random.chance(20);
    if (!random.chance(40)) {
      const before = this.state;
      if (!isDryRun) return this.runAlone({ kind: 'bulk', items, answer: [] });
      const answer = await this.anyApi().post(`${this.workspace}/notes/bulk?dryRun=true`, { items });
      const operation: Operation = { kind: 'bulk', items, answer: this.toErrors('dry run', answer) };
      if (execute(before, operation, [this.rules]).length === 0)
        throw new Error(describe('The model has another dry run', { operation, rules: this.rules, state: before }));
      return;
    }
    const answer = await this.anyApi().post(`${this.workspace}/notes/bulk?onError=continue`, { items });
    const notes = new Map(this.state.notes);
    const errors: string[] = [];
    for (const [at, { externalId, ...sent }] of items.entries()) {
      const outcome = writeNote(this.rules, this.state.priorities, notes.get(externalId), sent);
      if ('note' in outcome) notes.set(externalId, outcome.note);
      else errors.push(...outcome.errors.map((error) => `items[${at}].${error}`));
    }
    const found = answer.body.data.items.flatMap(({ index, errors: own }: any) =>
      own.map(({ field, code }: any) => `items[${index}].${field.replace(/^items\[\d+\]\./, '')} ${code}`),
    );
    requireEqual('The errors of a bulk request that continues', found.toSorted(), errors.toSorted());
    if (errors.length > 0) this.seen.add('continue rejected');
    if (notes.size > this.state.notes.size) this.seen.add('continue stored');
    this.state = { ...this.state, notes };
  }

  private async patch(): Promise<void> {
    const id = this.random.of(IDS);
    const stored = this.state.notes.get(id);
    if (!stored) return;
    const sent = createChange(this.random);
    const { body } = await this.anyApi().get(`${this.workspace}/notes?externalId=${id}`);
    const answer = await this.anyApi().patch(`${this.workspace}/notes/${body.data.items[0].id}`, sent);
    const outcome = writeNote(this.rules, this.state.priorities, stored, sent);
    const expected = 'errors' in outcome ? outcome.errors : [];
    requireEqual(
      describe('The errors of a change', { sent, stored, rules: this.rules }),
      this.toErrors('patch', answer),
      expected,
    );
    if ('note' in outcome) this.state = { ...this.state, notes: new Map(this.state.notes).set(id, outcome.note) };
  }

  /** Changes all notes of a status or with a value. */
  private async changeAll(): Promise<void> {
    const { random } = this;
    const { title: _, customFields: __, ...sent } = createChange(random);
    const field = random.of(['status', 'type', 'priority'] as const);
    const value = { status: random.of(['open', 'closed']), type: 'defect', priority: random.of(KEYS) }[field];
    const query = random.chance(50) ? `${field}=${value}` : `filter[${field}]=${value}`;
    const isDryRun = random.chance(30);
    const path = `${this.workspace}/notes?${query}${isDryRun ? '&dryRun=true' : ''}`;
    const answer = await this.anyApi().patch(path, sent);
    const notes = new Map(this.state.notes);
    const errors = new Set<string>();
    for (const [id, note] of notes) {
      if (note[field] !== value) continue;
      const outcome = writeNote(this.rules, this.state.priorities, note, sent);
      if ('note' in outcome) notes.set(id, outcome.note);
      else for (const error of outcome.errors) errors.add(error);
    }
    const rejected = this.toErrors('filter', answer);
    // A dry run succeeds, and lists them.
    const listed = answer.status < 300 ? answer.body.data.errors : [];
    const all: string[] = [...rejected, ...listed.map(({ field, code }: any) => `${field} ${code}`)];
    const found = all.map((error) => error.replace(/^notes\[\d+\]\./, ''));
    // A value that no note can have is rejected before notes are read.
    const invalid = resolveValues(this.rules, this.state.priorities, sent).rejected.map(({ error }) => error);
    const expected = (invalid.length > 0 ? invalid : [...errors]).toSorted();
    const context = describe('The errors of a change by filter', { query, sent, rules: this.rules, state: this.state });
    requireEqual(context, [...new Set(found)].toSorted(), expected);
    if (expected.length === 0 && !isDryRun) this.state = { ...this.state, notes };
  }

  private async changeRules(): Promise<void> {
    const { random } = this;
    const areFields = random.chance(50);
    const changed: Partial<RulesModel> = areFields ? { fields: createFields(random) } : { types: createTypes(random) };
    const rules = { ...this.rules, ...changed };
    const path = `${this.workspace}/${areFields ? 'note-fields' : 'note-types'}`;
    const answer = await this.anyApi().put(path, changed);
    requireEqual(describe('The change of rules', { rules, body: answer.body }), answer.status === 200, areValid(rules));
    this.seen.add(`rules ${answer.status}`);
    if (answer.status === 200) this.rules = rules;
  }

  private createItem(ids: readonly string[]): Item {
    return { ...createChange(this.random), externalId: this.random.of(ids) };
  }

  private createRename(): Operation {
    return { kind: 'rename', from: this.random.of(KEYS), to: this.random.of(KEYS), answer: [] };
  }

  private async readNotes(): Promise<Record<string, NoteModel>> {
    const { body } = await this.anyApi().get(`${this.workspace}/notes?limit=100`);
    return Object.fromEntries(
      body.data.items.map(({ externalId, title, type, status, priority, customFields }: any) => [
        externalId,
        { title, type, status, priority, customFields },
      ]),
    );
  }

  private anyApi(): Api {
    return this.random.of(this.apis);
  }

  /** @throws {Error} if a request failed for another reason than the rules. */
  private toErrors(kind: string, { status, body }: ApiResponse): string[] {
    this.seen.add(`${kind} ${status < 300 ? 'stored' : body.error}`);
    if (status < 300) return [];
    if (kind === 'rename') return [String(status)];
    if (![409, 422].includes(status)) throw new Error(`${kind} ${status} ${JSON.stringify(body)}`);
    return body.details.errors.map(({ field, code }: any) => `${field} ${code}`).toSorted();
  }
}

/** The states after some order of the operations in which each has its response; undefined if there is none. */
function findOrder(
  state: State,
  operations: readonly Operation[],
  rules: readonly RulesModel[],
  isEnd: (state: State) => boolean,
): State | undefined {
  if (operations.length === 0) return isEnd(state) ? state : undefined;
  for (const operation of operations) {
    const others = operations.filter((each) => each !== operation);
    for (const next of execute(state, operation, rules)) {
      const end = findOrder(next, others, rules, isEnd);
      if (end) return end;
    }
  }
  return undefined;
}

/** The states after the operation, if the model has its response: one for each choice of rules for its notes. */
function execute(state: State, operation: Operation, rules: readonly RulesModel[]): State[] {
  if (operation.kind === 'rename') return rename(state, operation, rules);
  let drafts = [{ notes: state.notes, errors: [] as string[] }];
  for (const [at, { externalId, ...sent }] of operation.items.entries())
    drafts = drafts.flatMap((draft) =>
      rules.map((each) => {
        const outcome = writeNote(each, state.priorities, draft.notes.get(externalId), sent);
        if ('note' in outcome) return { ...draft, notes: new Map(draft.notes).set(externalId, outcome.note) };
        const errors = outcome.errors.map((error) => (operation.kind === 'bulk' ? `items[${at}].${error}` : error));
        return { ...draft, errors: [...draft.errors, ...errors] };
      }),
    );
  return drafts
    .filter(({ errors }) => isDeepStrictEqual(errors.toSorted(), operation.answer))
    .map(({ notes, errors }) => (errors.length > 0 ? state : { ...state, notes }));
}

/** The notes follow the row if their field is bound to the table. */
function rename(
  state: State,
  { from, to, answer }: Operation & { kind: 'rename' },
  rules: readonly RulesModel[],
): State[] {
  const name = state.priorities.get(from);
  const status = name === undefined ? '404' : from === to ? undefined : state.priorities.has(to) ? '409' : undefined;
  if ((answer[0] ?? undefined) !== status) return [];
  if (status !== undefined || from === to) return [state];
  const priorities = new Map([...state.priorities].map(([key, each]) => [key === from ? to : key, each]));
  return rules.map(({ fields }) => {
    const bound = fields.filter(({ type }) => type === 'row').map(({ key }) => key);
    const follow = (note: NoteModel): NoteModel => ({
      ...note,
      priority: bound.includes('priority') && note.priority === from ? to : note.priority,
      customFields:
        bound.includes('backup') && note.customFields['backup'] === from
          ? { ...note.customFields, backup: to }
          : note.customFields,
    });
    return { priorities, notes: new Map([...state.notes].map(([id, note]) => [id, follow(note)])) };
  });
}

function areEqual({ notes }: State, stored: Record<string, NoteModel>): boolean {
  return isDeepStrictEqual(stored, Object.fromEntries(notes));
}

function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

function describe(what: string, context: object): string {
  const toJson = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value) as unknown;
  return `${what}: ${JSON.stringify(context, toJson)}`;
}
