import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const TOUR_ERRORS: ErrorCatalog = {
  title: 'Tours',
  order: 8,
  guide: 'records',
  codes: {
    unknown_floor: {
      meaning: 'A scene names a floor that the tour does not have.',
      cause: '`scenes[].floorId` is not the `id` of an entry of `floors`.',
      remedy: 'Add the floor to `floors`, or correct the ID.',
    },
  },
};
