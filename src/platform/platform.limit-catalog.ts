import {
  MAX_BODY_BYTES,
  MAX_CREDENTIALS_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_FORM_BYTES,
  MAX_JSON_WITH_FILES_BYTES,
} from './body/body-limits.js';
import { BODY_INTERVAL_S, MIN_BODY_BYTES } from './body/body-timeouts.js';
import { formatBytes, formatCount, type LimitCatalog } from './config/limits.js';
import { MAX_LISTED_ERRORS } from '../../packages/errors/src/domain-error.js';
import { MAX_DEPTH } from '../../packages/json/src/json-structure.js';
import { MAX_FIELDS } from './body/form-fields.js';
import { RESPONSE_TTL_S } from './http/idempotency/idempotency-keys.repository.js';
import { MAX_LIMIT } from './http/page.dto.js';

export const PLATFORM_LIMITS: LimitCatalog = {
  title: 'Requests',
  order: 1,
  limits: [
    { name: 'Body, if no other limit applies', value: formatBytes(MAX_BODY_BYTES), code: 'too_large' },
    { name: 'Body with credentials', value: formatBytes(MAX_CREDENTIALS_BYTES), code: 'too_large' },
    { name: 'JSON body with files', value: formatBytes(MAX_JSON_WITH_FILES_BYTES), code: 'too_large' },
    { name: 'Form with files', value: formatBytes(MAX_FORM_BYTES), code: 'too_large' },
    { name: 'Nested levels of a JSON body', value: formatCount(MAX_DEPTH, 'levels'), code: 'malformed_json' },
    { name: 'Fields of a form', value: formatCount(MAX_FIELDS, 'fields'), code: 'malformed_form' },
    { name: 'Files per request', value: formatCount(MAX_FILES, 'files'), code: 'too_many_files' },
    { name: 'File of a request', value: formatBytes(MAX_FILE_BYTES), code: 'file_too_large' },
    {
      name: 'Least rate of a body, of any duration',
      value: `${formatBytes(MIN_BODY_BYTES)} in ${formatCount(BODY_INTERVAL_S, 'seconds')}`,
      code: 'request_timeout',
    },
    { name: 'Bodies in the memory of an instance', value: { setting: 'BODY_MEMORY_BYTES' }, code: 'overloaded' },
    {
      name: 'Temporary files of an instance',
      value: { setting: 'UPLOAD_TEMPORARY_BYTES' },
      code: 'overloaded',
    },
    { name: 'Records per page', value: formatCount(MAX_LIMIT, 'records'), code: 'invalid_field' },
    { name: 'Errors that a response lists', value: formatCount(MAX_LISTED_ERRORS, 'errors') },
    { name: 'Storage of a response by its `Idempotency-Key`', value: formatCount(RESPONSE_TTL_S / 3_600, 'hours') },
    { name: 'Reading requests of a caller', value: { setting: 'RATE_LIMIT_READ' }, code: 'too_many_requests' },
    { name: 'Other requests of a caller', value: { setting: 'RATE_LIMIT_WRITE' }, code: 'too_many_requests' },
    {
      name: 'Rejected credentials of an address',
      value: { setting: 'RATE_LIMIT_FAILURES' },
      code: 'too_many_requests',
    },
  ],
};
