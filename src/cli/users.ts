import { administer, companyIn, companyOption } from './administer.ts'
import { type Command, UsageError } from './command.ts'
import { printable } from './print.ts'

export const userCommands: Command[] = [
  {
    name: 'users reset-two-step',
    usage: '--email EMAIL [--company ID]',
    summary: 'Remove the two-step verification of a user who has lost phone and recovery codes',
    details: 'Check who is asking before you run it. All sessions of the user end, and an email reports the reset.',
    options: { ...companyOption, email: { type: 'string' } },
    async run(given) {
      const email = given.text('email')
      if (!email) throw new UsageError('--email is required')
      const result = await administer<{ user_id: number }>('users.reset_two_step', { ...companyIn(given), email })
      return { text: `Two-step verification of ${printable(email)} was reset.`, json: result }
    },
  },
]
