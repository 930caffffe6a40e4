import fc from 'fast-check';
import { type SharedService, shareService } from '../support/shared-services.js';
import { command, SynchronizedTables } from '../support/synchronized-tables.js';
import { Tables } from '../support/tables.js';

let service: SharedService;

beforeAll(async () => {
  ({ service } = await shareService());
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

describe('long random sequences of bulk, import, replace, delete, rename and undo', () => {
  it('have the effect that a model of Maps has', async () => {
    const sequences = fc.array(command, { minLength: 20, maxLength: 60 });
    const property = fc.asyncProperty(sequences, async (commands) => {
      const model = await SynchronizedTables.create(
        Tables.of(service, await service.provision()),
        (actual, expected) => {
          expect(actual).toEqual(expected);
        },
      );
      for (const each of commands) await model.execute(each);
      await model.undoAll();
    });
    await fc.assert(property, { numRuns: Number(process.env['MODEL_RUNS'] ?? 8), endOnFailure: true });
  }, 600_000);
});
