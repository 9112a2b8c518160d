choice-other = 其他

# 所有页面。
page-skip = 跳到正文
page-footer = 由 formsvc 提供支持

# 错误。
error-form = 找不到这个表单
error-form-text = 网址可能有误，或者表单已被其所有者撤下。
error-404 = 这个地址没有内容
error-404-text = 请检查网址是否有误，或向发送链接的人确认。
error-403 = 无法执行此操作
error-403-text = 页面可能打开太久了。请返回、刷新页面后再试。
error-405 = 这里无法执行此操作
error-405-text = 请返回上一页再试。
error-408 = 网络连接太慢
error-408-text = 内容没有及时送达，因此没有保存。请返回后重新发送。
error-413 = 内容太大
error-413-text = 发送的内容超出了本页的上限。请返回精简后再发送。
error-429 = 操作过于频繁
error-429-text = 请等待 { $wait } 秒后再试。
error-500 = 服务器出了问题
error-500-text = 问题已被记录，请稍后再试。
error-503 = 服务繁忙
error-503-text = 内容没有保存，请在 { $wait } 秒后再试。
error-other = 操作没有成功
error-status = 状态码 { $status }

## Controls

choice-text = { $choice }：请说明
phone-country = 国家或地区
phone-choose-country = 请选择国家或地区

# 表单页面。
form-submit = 提交
form-next = 继续
form-back = 返回
form-optional = （选填）
form-required = （必填）
form-unnamed = 问题
form-page = 第 { $page } 页，共 { $pages } 页
form-on-page = （第 { $page } 页）
form-progress = 进度
form-title-faults = 需要修改：{ $title }
form-faults = 有 { $count } 处回答需要修改
form-kept = 点击“{ $button }”之前不会保存任何内容；点击后，您的回答将发送到 { $host }。
form-offline = 您似乎已离线。您填写的内容还在这里，请联网后再试。
form-trap = 请勿填写此项
form-again = 请再提交一次
form-again-text = 提交速度比预期快得多。您填写的内容都还在，请检查后再次提交。
form-sent = 您已经提交过这个表单
form-sent-text = 下面的回答与已保存的不同。如果要作为新的记录添加，请再次提交。
form-busy = 您的回答尚未保存
form-busy-text = 现在提交的人很多。您填写的内容都还在，请在 { $wait } 秒后再次提交。
form-not-stored = 在您填写期间情况发生了变化，因此您的回答没有保存。内容仍保留在下面，方便您复制。
form-open = 表单开放中
form-open-text = 现在可以提交回答。
form-closed = 表单已关闭
form-closed-text = 不再接受回答。如有疑问，请联系发送链接的人。
form-full = 表单已满
form-full-text = 回答数量已达上限。是否会增加名额，请向发送链接的人确认。
form-not-open = 表单尚未开放
form-not-open-text = 您可以先阅读内容，开放后即可提交。
form-opens-at = 开放时间：{ $when }。
form-closes-at = 截止时间：{ $when }。
form-moment = %Y 年 %-m 月 %-d 日 %H:%M（%Z）
form-days = { $count } 天
form-hours = { $count } 小时
form-minutes = { $count } 分钟
form-locked = 此表单受密码保护
form-locked-text = 请输入随邀请收到的密码。
form-password = 密码
form-password-wrong = 密码不正确，请检查后重试。
form-open-it = 打开表单

# 提交之后。
done-title = 谢谢您
done-text = 您的回答已保存，现在可以关闭此页面。
done-serial = 您的记录编号是 { $serial }。
done-lead-on = 继续

# 回答中的问题。
fault-blank = 请回答此问题
fault-taken = 已经有人填写过这个答案
fault-too-long = 最多 { $a } 个字符
fault-too-short = 至少 { $a } 个字符
fault-format = 格式不符合要求
fault-text = 请输入文字
fault-email = 请输入电子邮箱地址，例如 name@example.com
fault-domain = 请使用 { $a } 的邮箱地址
fault-phone = 请输入 { $a } 的电话号码
fault-country = 请从列表中选择国家或地区
fault-number = 请输入数字
fault-at-most = 请输入不大于 { $a } 的数
fault-at-least = 请输入不小于 { $a } 的数
fault-date = 请按 { $a } 的格式输入日期
fault-after = 请选择 { $a } 或更早的日期
fault-before = 请选择 { $a } 或更晚的日期
fault-choice = 请从列出的选项中选择
fault-many-choices = 最多选择 { $a } 项
fault-few-choices = 至少选择 { $a } 项
