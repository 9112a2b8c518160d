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
