import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

interface Props extends Omit<NumberInputProps, 'value' | 'onChange' | 'onBlur' | 'required'> {
  value: number
  onChange: (value: number) => void
}

/**
 * A number that must be there. While a new one is typed the field may be empty: a nought in it would become part of what
 * is typed. Whoever leaves it empty gets the last number back.
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
