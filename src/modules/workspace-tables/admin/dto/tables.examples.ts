import type { EntityPath } from '../../catalog/entity-kind.js';

/** Edits of the tables that the examples of bulk make; sent twice they change nothing the second time. */
export const EXAMPLE_EDITS: Record<EntityPath, object> = {
  locations: {
    columns: [
      { key: 'name', description: 'What people call it', options: { indexed: true } },
      { name: 'Commissioned', type: 'date' },
    ],
  },
  assets: { columns: [{ key: 'weight', name: 'Weight (kg)', options: { indexed: true } }] },
  lists: { columns: [{ key: 'name', required: true }] },
};
