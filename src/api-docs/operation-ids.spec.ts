import { operationIdOf } from './operation-ids.js';

it.each([
  ['ToursController', 'list', 'listTours'],
  ['ToursController', 'get', 'getTour'],
  ['ToursController', 'createAll', 'createTours'],
  ['BatchesController', 'get', 'getBatch'],
  ['AccessPoliciesController', 'delete', 'deleteAccessPolicy'],
  ['WorkspaceAccessController', 'get', 'getWorkspaceAccess'],
])('%s.%s has the ID %s', (controller, method, id) => {
  expect(operationIdOf(controller, method, {})).toBe(id);
});

it('prefers the name that is listed', () => {
  expect(operationIdOf('ToursController', 'move', { 'Tours.move': 'moveTourToProject' })).toBe('moveTourToProject');
});
