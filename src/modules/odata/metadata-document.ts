import type { EntitySet, NavigationProperty, Property } from './edm.js';
import { toSetName } from './identifiers.js';

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
    '<edmx:DataServices>',
    `<Schema Namespace="${NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">`,
    ...sets.flatMap(describeType),
    `<EntityContainer Name="${CONTAINER}">`,
    ...sets.flatMap(describeSet),
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
  return `<Property Name="${name}" Type="${type}"${isKey ? ' Nullable="false"' : ''}/>`;
}

function describeNavigation({ name, target }: NavigationProperty): string {
  return `<NavigationProperty Name="${name}" Type="${NAMESPACE}.${toSetName(target)}"/>`;
}

function describeSet({ name, navigation }: EntitySet): string[] {
  const start = `<EntitySet Name="${name}" EntityType="${NAMESPACE}.${name}"`;
  if (navigation.length === 0) return [`${start}/>`];
  const bindings = navigation.map(
    (each) => `<NavigationPropertyBinding Path="${each.name}" Target="${toSetName(each.target)}"/>`,
  );
  return [`${start}>`, ...bindings, '</EntitySet>'];
}
