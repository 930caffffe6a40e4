import { joinSpecs } from '../support/join-specs.js';

joinSpecs('src/modules/workspace-tables');
joinSpecs('packages/tables');
