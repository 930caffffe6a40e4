import type { Entity, TableClient } from '@atrium/client';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Context, findTable, openContext, openSession, type WorkspaceContext } from './context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { GlobalFlags } from './global-flags.js';
import type { Io } from './io.js';
import { Output } from './output.js';

/** The program, or a command that has commands. */
export type Program = CommandUnknownOpts;

/** What a command has that does not call the service, or opens a context itself. */
export interface LocalContext {
  flags: GlobalFlags;
  io: Io;
  output: Output;
}

export interface TableContext extends WorkspaceContext {
  table: TableClient;
}

/** The action of a command of commander, whose last values are the flags of the command and the command. */
type Action<Values extends unknown[]> = (...values: [...Values, CommandUnknownOpts]) => Promise<void>;

/** The exit code, if it is not 0. */
type Outcome = Promise<ExitCode> | Promise<void>;

/** The values are those of the action: the condition prevents that they are inferred from a function without flags. */
type Handler<Given, Values extends unknown[]> = Values extends infer Known extends unknown[]
  ? (given: Given, ...values: Known) => Outcome
  : never;

/** Makes the actions of commands, which open what a command needs, and has the exit code of the last one. */
export class Runner {
  exitCode: ExitCode = EXIT.success;

  constructor(private readonly io: Io) {}

  readonly locally = <Values extends unknown[]>(handle: Handler<LocalContext, Values>): Action<Values> =>
    this.createAction(handle, (flags) => ({ flags, io: this.io, output: new Output(flags, this.io) }));

  readonly inSession = <Values extends unknown[]>(handle: Handler<Context, Values>): Action<Values> =>
    this.createAction(handle, (flags) => openSession(flags, this.io));

  readonly inWorkspace = <Values extends unknown[]>(handle: Handler<WorkspaceContext, Values>): Action<Values> =>
    this.createAction(handle, (flags) => openContext(flags, this.io));

  /** For a command whose first argument is a table, and which may have `--entity`. */
  readonly onTable = <Values extends unknown[]>(handle: Handler<TableContext, Values>): Action<[string, ...Values]> =>
    this.createAction(handle, async (flags, values) => {
      const context = await openContext(flags, this.io);
      return { ...context, table: await findTable(context.client, values.shift() as string, flags.entity) };
    });

  private createAction<Given>(
    handle: unknown,
    open: (flags: GlobalFlags & { entity?: Entity }, values: unknown[]) => Given | Promise<Given>,
  ): (...values: unknown[]) => Promise<void> {
    return async (...values) => {
      // Flags of the program and of the command are one object.
      const flags: GlobalFlags = (values.pop() as CommandUnknownOpts).optsWithGlobals();
      const given = await open(flags, values);
      this.exitCode = (await (handle as (...all: unknown[]) => Outcome)(given, ...values)) ?? EXIT.success;
    };
  }
}
