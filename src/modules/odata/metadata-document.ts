import { MAX_EXPANSIONS } from '../../../packages/tables/src/catalog/request-limits.js';
import {
  MAX_FILTER_LEVELS,
  MAX_FILTER_VALUES,
  MAX_FILTERS,
} from '../../../packages/tables/src/reader/filter-parser.js';
import type { EntitySet, NavigationProperty, Property } from './edm.js';
import { MAX_EXPRESSION_LENGTH } from './expression.js';
import { SUPPORTED_FUNCTIONS } from './filter-translation.js';
import { toSetName } from './identifiers.js';
import { MAX_EXPANDED_PAGE_ROWS, MAX_NAMES, MAX_PAGE_ROWS, MAX_SKIP } from './query-options.js';

/** The namespace of the types, and the name of the container of the entity sets. */
const NAMESPACE = 'Atrium';
const CONTAINER = 'Container';

/**
 * The document `$metadata` (CSDL XML 4.0). All names are identifiers, which need no escaping. There is no referential
 * constraint: a reference may name a row that does not exist.
 */
export function createMetadataDocument(sets: readonly EntitySet[]): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">',
    ...VOCABULARIES.map(describeVocabulary),
    '<edmx:DataServices>',
    `<Schema Namespace="${NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">`,
    ...sets.flatMap(describeType),
    `<EntityContainer Name="${CONTAINER}">`,
    ...sets.flatMap(describeSet),
    ...CAPABILITIES,
    '</EntityContainer>',
    '</Schema>',
    '</edmx:DataServices>',
    '</edmx:Edmx>',
    '',
  ].join('\n');
}

function describeType({ name, key, properties, navigation }: EntitySet): string[] {
  return [
    `<EntityType Name="${name}">`,
    `<Key><PropertyRef Name="${key.name}"/></Key>`,
    ...properties.map(describeProperty),
    ...navigation.map(describeNavigation),
    '</EntityType>',
  ];
}

function describeProperty({ name, type, isKey }: Property): string {
  // Without a precision, an instant would have whole seconds.
  const precision = type === 'Edm.DateTimeOffset' ? ' Precision="3"' : '';
  return `<Property Name="${name}" Type="${type}"${precision}${isKey ? ' Nullable="false"' : ''}/>`;
}

function describeNavigation({ name, target }: NavigationProperty): string {
  return `<NavigationProperty Name="${name}" Type="${NAMESPACE}.${toSetName(target)}"/>`;
}

function describeSet({ name, navigation, table }: EntitySet): string[] {
  const bindings = navigation.map(
    (each) => `<NavigationPropertyBinding Path="${each.name}" Target="${toSetName(each.target)}"/>`,
  );
  return [
    `<EntitySet Name="${name}" EntityType="${NAMESPACE}.${name}">`,
    ...bindings,
    annotate('TopSupported', 'Bool="true"'),
    annotate('SkipSupported', 'Bool="true"'),
    annotateRecord('ExpandRestrictions', navigation.length > 0 ? EXPANDABLE : 'Property="Expandable" Bool="false"'),
    annotateRecord('SearchRestrictions', 'Property="Searchable" Bool="false"'),
    annotateRecord('ChangeTracking', `Property="Supported" Bool="${table.hasChanges}"`),
    ...['Insert', 'Update', 'Delete'].map((change) =>
      annotateRecord(`${change}Restrictions`, `Property="${change.replace(/e?$/, 'able')}" Bool="false"`),
    ),
    '</EntitySet>',
  ];
}

const EXPANDABLE = 'Property="MaxLevels" Int="1"';

function annotate(term: string, value: string): string {
  return `<Annotation Term="Capabilities.${term}" ${value}/>`;
}

function annotateRecord(term: string, property: string): string {
  return `<Annotation Term="Capabilities.${term}"><Record><PropertyValue ${property}/></Record></Annotation>`;
}

/** The vocabularies of the annotations, which clients know by their names, with the aliases used here. */
const VOCABULARIES = ['Capabilities', 'Core'];

function describeVocabulary(alias: string): string {
  const name = `Org.OData.${alias}.V1`;
  const uri = `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${name}.xml`;
  return `<edmx:Reference Uri="${uri}"><edmx:Include Namespace="${name}" Alias="${alias}"/></edmx:Reference>`;
}

const LIMITS = [
  `A page has at most ${MAX_PAGE_ROWS} entities, with $expand ${MAX_EXPANDED_PAGE_ROWS}.`,
  `$skip is at most ${MAX_SKIP}: follow @odata.nextLink to read more entities.`,
  `$filter has at most ${MAX_FILTERS} conditions, ${MAX_FILTER_LEVELS} nested levels and ${MAX_FILTER_VALUES} values of in.`,
  `$expand names at most ${MAX_EXPANSIONS} properties, $select ${MAX_NAMES}.`,
  `$filter and $orderby have at most ${MAX_EXPRESSION_LENGTH} characters; POST …/$query reads them from the body.`,
].join(' ');

const OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'and', 'or', 'not'];

/** The capabilities of the whole feed. */
const CAPABILITIES = [
  `<Annotation Term="Core.LongDescription" String="${LIMITS}"/>`,
  annotate('BatchSupported', 'Bool="false"'),
  annotate('AsynchronousRequestsSupported', 'Bool="false"'),
  annotate('CrossJoinSupported', 'Bool="false"'),
  annotate('KeyAsSegmentSupported', 'Bool="false"'),
  annotate('QuerySegmentSupported', 'Bool="true"'),
  '<Annotation Term="Capabilities.FilterFunctions"><Collection>',
  ...[...OPERATORS, ...SUPPORTED_FUNCTIONS].map((name) => `<String>${name}</String>`),
  '</Collection></Annotation>',
];
