import { Checkbox, Stack } from '@mantine/core'
import type { Role } from '../../kit/session.tsx'
import { roles } from './profile.ts'

/** One or more roles with their permissions. */
export function RolesInput({
  value,
  onChange,
  disabled = false,
}: {
  value: Role[]
  onChange: (roles: Role[]) => void
  disabled?: boolean
}) {
  return (
    <Checkbox.Group
      label="Roles"
      value={value}
      onChange={(chosen) => onChange(roles.map((role) => role.value).filter((role) => chosen.includes(role)))}
    >
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Checkbox
            key={role.value}
            value={role.value}
            label={role.label}
            description={role.hint}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
