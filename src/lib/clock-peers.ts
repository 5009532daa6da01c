/**
 * All processes share one clock. The process that receives an advance takes the steps; at each step every other process
 * moves to the same instant, runs its due work, and reports its next timer. A second advance extends the target only in
 * the process that takes the steps; elsewhere it starts from the instant reached so far.
 */
export interface ClockPeers {
  /** An instant to move to; an empty string means that the saved state has changed. */
  publish(text: string): Promise<void>
  subscribe(listener: (text: string) => void): () => void
  /** Resolves when every other process has reached the instant and has no due work left. */
  settle?(at: number): Promise<SettledAt>
  /** Registers the handler for `settle` requests of other processes. */
  onSettle?(settle: (at: number) => Promise<SettledAt>): () => void
}

export interface SettledAt {
  /** The next instant at which a timer is due; infinity without timers. */
  next: number
  /** Whether this process has done any work since its last report. */
  wasBusy: boolean
}
