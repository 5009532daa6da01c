/** Nobody answered, or nobody whom we understand. */
export class EngineTrouble extends Error {
  /** The next try may be luckier. */
  readonly passing: boolean

  constructor(why: string, passing: boolean) {
    super(why)
    this.passing = passing
  }
}
