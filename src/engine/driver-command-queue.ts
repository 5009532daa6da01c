import type { DriverCommand } from '../domain/call/events.ts'
import type { Log } from '../lib/log.ts'
import type { ActiveCall } from './active-call.ts'
import { type DriverCommandContext, failureOf, isLegGone, revert, runDriverCommand } from './driver-commands.ts'
import { DialRefused } from './toll-guard.ts'

interface Options {
  context: DriverCommandContext
  log: Log
  /** Called after every command, successful or not. */
  completed(live: ActiveCall): void
}

/** Runs the driver commands of a call in order; a command that failed becomes an event of the call. */
export function createDriverCommandQueue({ context, log, completed }: Options) {
  function onFailure(live: ActiveCall, command: DriverCommand, error: unknown): void {
    // `leg.ended` is reported separately; a dial or an attach without a leg still needs a result.
    if (isLegGone(error)) log.debug({ event: 'call.effect_skipped', key: live.key, effect: command.kind }, 'leg gone')
    else logAndRevert(live, command, error)
    const failure =
      isLegGone(error) && command.kind !== 'attach' && command.kind !== 'dial' ? undefined : failureOf(command)
    if (failure) context.notify(live, failure)
  }

  function logAndRevert({ key, state, driver }: ActiveCall, command: DriverCommand, error: unknown): void {
    // The toll guard logs a refused call, with its rule.
    if (error instanceof DialRefused) return
    log.warn(
      { event: 'call.effect_failed', key, callId: state.callId, effect: command.kind, error },
      'driver command failed',
    )
    revert(driver, command).catch((why) =>
      log.warn(
        { event: 'call.effect_failed', key, effect: command.kind, error: why },
        'driver command could not be reverted',
      ),
    )
  }

  return (live: ActiveCall, commands: readonly DriverCommand[]): void => {
    for (const command of commands) {
      live.pending++
      live.unfinished.add(command)
      live.commands = live.commands
        .then(() => runDriverCommand(context, live, command))
        .catch((error) => onFailure(live, command, error))
        .finally(() => {
          live.pending--
          live.unfinished.delete(command)
          completed(live)
        })
    }
  }
}
