import { joinSpecs } from '../support/join-specs.js';

joinSpecs('src', ['src/modules', 'src/platform']);
joinSpecs('packages', ['packages/tables']);
joinSpecs('clients');
