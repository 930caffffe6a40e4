import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_PROPOSED_ROWS } from '../workspace-tables/proposals/propose-rows.service.js';
import * as answers from './answers.js';

export const ASSISTANT_LIMITS: LimitCatalog = {
  title: 'Assistants',
  order: 4.6,
  limits: [
    { name: 'Answer of a tool', value: formatCount(answers.MAX_ANSWER_BYTES, 'bytes'), code: 'answer_too_large' },
    { name: 'Rows, groups or tables of an answer', value: formatCount(answers.MAX_ROWS, 'entries') },
    { name: 'Notes, messages, hits or changes of an answer', value: formatCount(answers.MAX_LISTED, 'entries') },
    { name: 'Text in a list; the rest is cut', value: formatCount(answers.MAX_CELL_LENGTH, 'characters') },
    { name: 'Text in a large list, at least', value: formatCount(answers.MIN_CELL_LENGTH, 'characters') },
    { name: 'Text of one row or note; the rest is cut', value: formatCount(answers.MAX_TEXT_LENGTH, 'characters') },
    { name: 'Rows that an assistant proposes at once', value: formatCount(MAX_PROPOSED_ROWS, 'rows') },
  ],
};
