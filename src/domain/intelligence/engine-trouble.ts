/** The engine did not respond, or its response could not be parsed. */
export class EngineTrouble extends Error {
  /** A retry may succeed. */
  readonly passing: boolean

  constructor(why: string, passing: boolean) {
    super(why)
    this.passing = passing
  }
}
