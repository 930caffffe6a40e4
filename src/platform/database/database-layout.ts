import type { FactoryProvider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

/** How the database stores the tables, as it was when the service started. */
export class DatabaseLayout {
  /** @param isDistributed Are they distributed over the nodes of a cluster (Citus)? */
  constructor(readonly isDistributed: boolean) {}
}

/** Provides a class, or its subclass for a cluster. The choice is made when the module starts. */
export function chooseByLayout<T>(single: Type<T>, { onCluster }: { onCluster: Type<T> }): FactoryProvider<T> {
  return {
    provide: single,
    inject: [DatabaseLayout, ModuleRef],
    useFactory: ({ isDistributed }: DatabaseLayout, module: ModuleRef) =>
      module.create(isDistributed ? onCluster : single),
  };
}
