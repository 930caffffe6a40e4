import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_API_KEYS } from './auth.errors.js';
import { MAX_OVERLAP_S } from './dto/api-key.dto.js';

export const AUTH_LIMITS: LimitCatalog = {
  title: 'Sign-in',
  order: 2,
  limits: [
    { name: 'Lifetime of an access token', value: { setting: 'ACCESS_TOKEN_TTL_S' }, code: 'invalid_token' },
    { name: 'Lifetime of a refresh token', value: { setting: 'REFRESH_TOKEN_TTL_S' }, code: 'invalid_grant' },
    { name: 'Active sessions of a user', value: { setting: 'MAX_SESSIONS_PER_USER' }, code: 'invalid_grant' },
    { name: 'Attempts at the token endpoint', value: { setting: 'RATE_LIMIT_TOKEN' }, code: 'too_many_requests' },
    {
      name: 'Active API keys of a workspace',
      value: formatCount(MAX_API_KEYS, 'keys'),
      code: 'too_many_api_keys',
    },
    {
      name: 'Overlap of a former secret of an API key, by the API',
      value: formatCount(MAX_OVERLAP_S / 86_400, 'days'),
      code: 'invalid_field',
    },
  ],
};
