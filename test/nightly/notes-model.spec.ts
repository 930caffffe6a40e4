import { ModelledNotes } from '../support/modelled-notes.js';
import { Random } from '../support/random-steps.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

let services: SharedService[];

beforeAll(async () => {
  ({ services } = await shareServices(2));
}, 120_000);

/** As many as are needed that each kind of result occurs, whatever the seed. */
const WORKSPACES = Number(process.env['MODEL_RUNS'] ?? 20);
const ROUNDS = 60;

it('fields, types, transitions and bulk have the effect of a model, also in races on two instances', async () => {
  const seen = new Set<string>();
  const first = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000);
  for (let seed = first; seed < first + WORKSPACES; seed++) {
    const random = new Random(seed);
    const notes = await ModelledNotes.create(services, random);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await (random.chance(30) ? notes.race() : notes.step());
        await notes.check();
      }
    } catch (error) {
      throw new Error(`With MODEL_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    }
    for (const each of notes.seen) seen.add(each);
  }
  const kinds = ['save', 'bulk', 'patch', 'filter', 'continue', 'race'].flatMap((kind) => [`${kind} stored`]);
  const rejections = [
    'save invalid_note',
    'save invalid_transition',
    'bulk invalid_items',
    'continue rejected',
    'race rejected',
  ];
  expect([...seen]).toEqual(
    expect.arrayContaining([...kinds, ...rejections, 'rules 200', 'rules 400', 'rename stored']),
  );
}, 600_000);
