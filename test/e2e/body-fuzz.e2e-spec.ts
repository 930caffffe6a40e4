import { Api } from '../support/api.js';
import { BODIES, fuzzBodies } from '../support/body-fuzz.js';
import { type SharedService, shareService } from '../support/shared-services.js';

describe('random changes of bodies', () => {
  let service: SharedService;

  beforeAll(async () => void ({ service } = await shareService({ RATE_LIMIT_WRITE: 'off' })));

  it('lose no field or part with a successful response, and cause no error of the service', async () => {
    const { apiKey, workspaceId } = await service.provision();
    const seed = Date.now() % 2 ** 31;
    const api = new Api(service.baseUrl).withKey(apiKey);
    const { failures, compared } = await fuzzBodies(api, `/v2/api/workspaces/${workspaceId}/notes`, 500, seed);
    expect({ seed, failures }).toEqual({ seed, failures: [] });
    expect(BODIES).toHaveLength(40);
    expect(compared).toBeGreaterThan(40);
    expect((await new Api(service.baseUrl).get('/health/live')).status).toBe(200);
  });
});
