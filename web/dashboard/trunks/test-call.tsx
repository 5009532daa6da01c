import { api } from '../../kit/api.ts'
import { TrialDialog } from '../parts/trial.tsx'
import type { Trunk } from './trunk.ts'

const looks = {
  answered: { title: 'Answered', color: 'green' },
  busy: { title: 'Busy', color: 'green' },
  no_answer: { title: 'No answer', color: 'green' },
  no_response: { title: 'No SIP response', color: 'red' },
  rejected: { title: 'Rejected', color: 'red' },
  failed: { title: 'Failed', color: 'red' },
  not_allowed: { title: 'Not allowed', color: 'orange' },
}

export function TrunkTestCall({ trunk, close }: { trunk: Pick<Trunk, 'id' | 'name'>; close: () => void }) {
  return (
    <TrialDialog
      name={trunk.name}
      run={(body) => api.post('/v1/trunks/{id}/test_call', { params: { id: trunk.id }, body })}
      labels={{ from: 'Caller ID', to: 'Number to call', go: 'Call' }}
      looks={looks}
      meanwhile={(to) => `Calling ${to}… The call rings for up to 30 seconds.`}
      codeWords="SIP response"
      close={close}
    >
      Places a real call, for example to your mobile phone, and plays a melody when it is answered.
    </TrialDialog>
  )
}
