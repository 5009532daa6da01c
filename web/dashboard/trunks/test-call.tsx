import { TrialDialog } from '../parts/trial.tsx'
import type { Trunk } from './trunk.ts'

const looks = {
  answered: { title: 'Answered', color: 'green' },
  busy: { title: 'Busy', color: 'green' },
  no_answer: { title: 'No answer', color: 'green' },
  no_response: { title: 'No SIP response', color: 'red' },
  rejected: { title: 'Refused', color: 'red' },
  failed: { title: 'It did not work', color: 'red' },
  not_allowed: { title: 'Not allowed', color: 'orange' },
}

export function TestCall({ trunk, close }: { trunk: Pick<Trunk, 'id' | 'name'>; close: () => void }) {
  return (
    <TrialDialog
      name={trunk.name}
      address={`/v1/trunks/${trunk.id}/test_call`}
      labels={{ from: 'Shown to whoever is called', to: 'Number to call', go: 'Call' }}
      looks={looks}
      meanwhile={(to) => `Calling ${to} … it rings for at most half a minute.`}
      codeWords="the carrier answered"
      close={close}
    >
      Somebody is really called: your mobile phone, for example. Whoever answers hears a melody.
    </TrialDialog>
  )
}
