import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { displayNumber, numberExample, readNumber } from '../phone-number.ts'

/**
 * Input of a number in national or international notation. Reports E.164 as soon as the text is a number, otherwise the text;
 * shows the readable form when the focus leaves.
 */
export function PhoneInput({
  value,
  onChange,
  ...input
}: Omit<TextInputProps, 'value' | 'onChange' | 'onFocus' | 'onBlur'> & {
  value: string
  onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      type="tel"
      autoComplete="off"
      placeholder={numberExample()}
      {...input}
      value={typed ?? displayNumber(value)}
      onFocus={() => setTyped(displayNumber(value))}
      onBlur={() => setTyped(undefined)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(readNumber(currentTarget.value) ?? currentTarget.value.trim())
      }}
    />
  )
}
