import fc from 'fast-check';
import { type SharedService, shareService } from '../support/shared-services.js';
import { command, SynchronizedTables } from '../support/synchronized-tables.js';
import { Tables } from '../support/tables.js';
import { PROPERTY_CASES } from '../support/property-cases.js';

let service: SharedService;

beforeAll(async () => {
  ({ service } = await shareService());
}, 120_000);

const expectEqual = (actual: unknown, expected: unknown) => {
  expect(actual).toEqual(expected);
};

describe('random sequences of bulk, import, replace, delete, rename and undo', () => {
  it('have the effect that a model of Maps has, and undo restores the first state', async () => {
    const sequences = fc.array(command, { minLength: 8, maxLength: 14 });
    const property = fc.asyncProperty(sequences, async (commands) => {
      const model = await SynchronizedTables.create(Tables.of(service, await service.provision()), expectEqual);
      for (const each of commands) await model.execute(each);
      await model.undoAll();
    });
    await fc.assert(property, { numRuns: PROPERTY_CASES, endOnFailure: true });
  }, 600_000);

  it('restore the first state if nothing else has changed the rows', async () => {
    const batches = command.filter(({ kind }) => kind !== 'rename' && kind !== 'undo');
    const property = fc.asyncProperty(fc.array(batches, { minLength: 5, maxLength: 10 }), async (commands) => {
      const model = await SynchronizedTables.create(Tables.of(service, await service.provision()), expectEqual);
      for (const each of commands) await model.execute(each);
      expect(await model.undoAll()).toBe(true);
    });
    await fc.assert(property, { numRuns: PROPERTY_CASES, endOnFailure: true });
  }, 600_000);
});
