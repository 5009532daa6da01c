import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'

/** The user who is responsible for a contact; a selection is saved at once. */
export function ContactOwner({ contactId }: { contactId: number }) {
  const queries = useQueryClient()
  const params = { id: contactId }
  const queryKey = ['contacts', 'owner', contactId]
  const { data } = useQuery({ queryKey, queryFn: () => api.get('/v1/contacts/{id}/owner', { params }) })
  const save = async (userId: number | null) => {
    try {
      const saved = await api.put('/v1/contacts/{id}/owner', { params, body: { user_id: userId } })
      queries.setQueryData(queryKey, saved)
      notify(saved.owner ? `${saved.owner.name} owns this contact` : 'This contact has no owner')
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <PersonPicker
      label="Owner"
      placeholder="No owner"
      clearable
      disabled={!data}
      value={data?.owner?.id ?? null}
      onChange={(userId) => void save(userId)}
    />
  )
}
