import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_ANSWER_BYTES, MAX_CELL_LENGTH, MAX_CHANGES, MAX_LISTED, MAX_ROWS, MAX_TEXT_LENGTH } from './answers.js';

export const ASSISTANT_LIMITS: LimitCatalog = {
  title: 'Assistants',
  order: 4.6,
  limits: [
    { name: 'Answer of a tool', value: formatCount(MAX_ANSWER_BYTES, 'bytes'), code: 'answer_too_large' },
    { name: 'Rows, groups or tables of an answer', value: formatCount(MAX_ROWS, 'entries') },
    { name: 'Notes, messages, hits or changes of an answer', value: formatCount(MAX_LISTED, 'entries') },
    { name: 'Text in a list; the rest is cut', value: formatCount(MAX_CELL_LENGTH, 'characters') },
    { name: 'Text of a single row or note; the rest is cut', value: formatCount(MAX_TEXT_LENGTH, 'characters') },
    { name: 'Rows that an assistant proposes at once', value: formatCount(MAX_CHANGES, 'rows') },
  ],
};
