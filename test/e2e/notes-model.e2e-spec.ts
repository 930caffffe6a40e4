import { ModelledNotes } from '../support/modelled-notes.js';
import { Random } from '../support/random-steps.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

let services: SharedService[];

beforeAll(async () => {
  ({ services } = await shareServices(2));
}, 120_000);

it('fields, types, transitions and bulk have the effect of a model, also in races on two instances', async () => {
  const random = new Random(20_261_129);
  const notes = await ModelledNotes.create(services, random);
  for (let round = 0; round < 25; round++) {
    await (random.chance(30) ? notes.race() : notes.step());
    await notes.check();
  }
}, 60_000);
