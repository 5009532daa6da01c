import { alwaysOpen } from '../../../domain/opening-hours.ts'
import type { Caller } from '../../../http/caller.ts'
import type { EditedObject } from '../../../http/edits.ts'
import type { Services } from '../../../services.ts'
import { rolesOf, type User } from './store.ts'

/** A user as the form in the dashboard edits it, over two routes. */
export const userEdits: EditedObject<{ loaded: User; caller: Caller; services: Services }> = {
  object: 'user',
  async view({ loaded: user, caller, services }) {
    return {
      first_name: user.firstName,
      last_name: user.lastName,
      role_ids: await rolesOf(services.db, caller.companyId, user.id),
      wrap_up_time: user.wrapUpTime,
      time_zone: user.timeZone,
      language: user.language,
      extension: user.extension,
      default_number_id: user.defaultNumberId,
      call_sound: user.callSound,
    }
  },
}

export const workingHoursOf = ({ workingHours }: User) => ({
  hours: workingHours?.hours ?? alwaysOpen,
  closed_dates: workingHours?.closedDates ?? [],
})
