import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const ATTACHMENT_ERRORS = defineErrors(createSection('Files', 'notes'), {
  invalid_signature: {
    kind: 'forbidden',
    message: 'The signature of the URL is invalid. Use the URL in the record.',
    meaning:
      'The signature of the URL is not valid: the URL was altered or truncated, or belongs to another deployment.',
    remedy: 'Use the URL exactly as the record contains it.',
  },
  url_expired: {
    kind: 'forbidden',
    message: 'The URL has expired. Get the record again for a new one.',
    meaning: 'The signed URL has expired: it was read longer ago than `ATTACHMENT_URL_TTL_S`.',
    remedy: 'Read the record again for a new URL.',
  },
  upload_expired: {
    kind: 'unavailable',
    message: 'The uploaded files expired. Send the request again.',
    meaning: 'The uploaded files were removed before the record was stored, because the request took too long.',
    remedy: 'Send the request again.',
  },
});
