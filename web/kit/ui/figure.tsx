import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

interface Props extends Omit<NumberInputProps, 'value' | 'onChange' | 'onBlur' | 'required'> {
  value: number
  onChange: (value: number) => void
}

/**
 * A required number. The field may be empty while the user types a new value, because a 0 would become part of it; on blur an
 * empty field shows the last value again.
 */
export function Figure({ value, onChange, ...rest }: Props) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <NumberInput
      allowDecimal={false}
      withAsterisk={false}
      {...rest}
      required
      value={isEmpty ? '' : value}
      onChange={(given) => {
        setEmpty(given === '')
        if (given !== '') onChange(Number(given) || 0)
      }}
      onBlur={() => setEmpty(false)}
    />
  )
}
