/** A password, which can be looked at while it is typed. */
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { IconButton } from './button'
import { TextField, type TextFieldProps } from './field'

export function PasswordField(props: Omit<TextFieldProps, 'inputType' | 'after'>) {
  const t = useT()
  const [seen, setSeen] = useState(false)
  return (
    <TextField
      {...props}
      inputType={seen ? 'text' : 'password'}
      after={
        <IconButton
          size="small"
          label={seen ? t('app.hide_password') : t('app.show_password')}
          aria-pressed={seen}
          onClick={() => setSeen(!seen)}
        >
          {seen ? <EyeOff /> : <Eye />}
        </IconButton>
      }
    />
  )
}
