import type { Links, Services } from '../services.ts'

/** What a view needs besides the rows: the base URLs of links and the current time. */
export interface ViewContext {
  links: Links
  at: number
}

export const viewContextOf = ({ links, clock }: Pick<Services, 'links' | 'clock'>): ViewContext => ({
  links,
  at: clock.now(),
})
