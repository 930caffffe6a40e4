import type { TableRule } from '../../../packages/tables/src/catalog/view.js';

/** Which notes a policy permits. */
export interface NoteRule {
  /** Only notes at this location and the locations below it, in whichever table. */
  under: string;
}

/** What a policy permits; an absent part is not restricted. */
export interface PolicyRules {
  /** Tables that no rule names do not exist for the caller. */
  tables?: TableRule[];
  notes?: NoteRule;
}
