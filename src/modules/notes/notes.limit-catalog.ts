import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_CUSTOM_FIELDS, MAX_CUSTOM_VALUE } from './dto/note-fields.dto.js';
import { MAX_CHOICES, MAX_FIELDS, MAX_STATUSES, MAX_TRANSITIONS, MAX_TYPES } from './dto/note-rules.dto.js';
import { MAX_EXTERNAL_REFERENCES } from './dto/save-note.dto.js';
import { MAX_NOTE_FILES } from './note-files.js';
import { MAX_WATCHERS } from './note-watchers.service.js';
import { MAX_TEXT_BYTES } from './public-notes.policy.js';

export const NOTE_LIMITS: LimitCatalog = {
  title: 'Notes',
  order: 5,
  limits: [
    { name: 'Custom fields of a note', value: formatCount(MAX_CUSTOM_FIELDS, 'fields'), code: 'invalid_field' },
    { name: 'Text of a custom field', value: formatCount(MAX_CUSTOM_VALUE, 'characters'), code: 'invalid_field' },
    { name: 'Statuses of a workspace', value: formatCount(MAX_STATUSES, 'statuses'), code: 'invalid_field' },
    { name: 'Fields that a workspace defines', value: formatCount(MAX_FIELDS, 'fields'), code: 'invalid_field' },
    { name: 'Choices of a field', value: formatCount(MAX_CHOICES, 'choices'), code: 'invalid_field' },
    { name: 'Note types of a workspace', value: formatCount(MAX_TYPES, 'types'), code: 'invalid_field' },
    { name: 'Transitions of a note type', value: formatCount(MAX_TRANSITIONS, 'transitions'), code: 'invalid_field' },
    {
      name: 'External references of a note',
      value: formatCount(MAX_EXTERNAL_REFERENCES, 'references'),
      code: 'invalid_field',
    },
    { name: 'Files of a note', value: formatCount(MAX_NOTE_FILES, 'files'), code: 'too_many_files' },
    { name: 'Watchers of a note', value: formatCount(MAX_WATCHERS, 'watchers'), code: 'too_many_watchers' },
    { name: 'Validity of the URL of an attachment', value: { setting: 'ATTACHMENT_URL_TTL_S' }, code: 'url_expired' },
    { name: 'Notes of an anonymous address', value: { setting: 'RATE_LIMIT_PUBLIC' }, code: 'too_many_requests' },
    {
      name: 'Notes of all anonymous addresses',
      value: { setting: 'RATE_LIMIT_PUBLIC_TOGETHER' },
      code: 'too_many_requests',
    },
    {
      name: 'Texts of a note or message of an anonymous caller',
      value: formatCount(MAX_TEXT_BYTES, 'bytes'),
      code: 'public_text_too_large',
    },
    {
      name: 'Unreviewed content of anonymous callers, per workspace',
      value: { setting: 'PUBLIC_QUOTA_BYTES' },
      code: 'public_quota_full',
    },
  ],
};
