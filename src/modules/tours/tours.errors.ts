import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const TOUR_ERRORS = defineErrors(createSection('Tours', 'records'), {
  unknown_floor: {
    meaning: '`scenes[].floorId` is not the `id` of an entry of `floors`.',
    remedy: 'Add the floor to `floors`, or correct the ID.',
  },
});
